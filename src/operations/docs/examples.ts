import { createHash } from 'node:crypto';
import type { Type } from '@nestjs/common';
import type { OpenAPIObject, ParameterObject } from '@nestjs/swagger';
import { exampleOf } from '../../common/http/params/dto-metadata.js';
import { DAY_MS } from '../../common/time/days.js';
import { isObject } from '../../common/values/is-object.js';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { DECIMAL, UUID } from '../../common/http/params/fields.js';
import { operationsOf, type Operation } from './operation.js';
import { DELIVERY_ID, documentParametersOf } from './parameters.js';
import type { DocumentSchema } from './schemas.js';

/** A request to the demo world and its response. */
export interface RecordedCall {
  operationId: string;
  path: Record<string, string>;
  /** Path ids that exist for this operation alone, which works once. */
  spare?: string[];
  query?: Record<string, unknown>;
  body?: unknown;
  status: number;
  answer: unknown;
}

interface Media {
  schema?: DocumentSchema;
  example?: unknown;
  'x-unique'?: string[];
}

type Body = { content?: Record<string, Media> };

/** Placeholder for a time that must be in the future when an example runs. */
const A_MOMENT = '2026-12-24T16:30:00Z';
/** Placeholder for a time that must be in the past. */
const A_MOMENT_AGO = '2026-12-19T16:30:00Z';
/** Placeholders for the dates of a range that ends today. */
const A_DAY = '2026-11-14';
const A_DAY_BEFORE = '2026-11-09';
/** Placeholder for the minutes of a replay. */
const A_MINUTE = '202612241630';
const A_MINUTE_BEFORE = '202612241530';

/**
 * Times that examples name: `{tomorrow}` is a whole minute in a day, `{five_days_ago}` one in the past; `first_minute`
 * to `last_minute` is the last hour, in the format of replays; `first_day` to `last_day` are the dates of the last five days.
 */
export const momentsFrom = (now: Date): Record<string, string> => ({
  tomorrow: `${new Date(now.getTime() + DAY_MS).toISOString().slice(0, 16)}:00Z`,
  five_days_ago: `${new Date(now.getTime() - 5 * DAY_MS).toISOString().slice(0, 16)}:00Z`,
  first_minute: minuteOf(new Date(now.getTime() - 3_600_000)),
  last_minute: minuteOf(now),
  first_day: new Date(now.getTime() - 5 * DAY_MS).toISOString().slice(0, 10),
  last_day: now.toISOString().slice(0, 10),
});

/** True if a text is a date without a time. */
export const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** A minute in the format of replays. */
const minuteOf = (moment: Date) => moment.toISOString().replace(/\D/g, '').slice(0, 12);

/**
 * An id, media key or URI of the same form as `actual`. It depends on its purpose only, so it is the same in every
 * release.
 */
export function placeholderOf(actual: string, purpose: string): string {
  if (/^\d{4}-\d{2}-\d{2}T/.test(actual)) return purpose.endsWith('_ago') ? A_MOMENT_AGO : A_MOMENT;
  if (isDate(actual)) return purpose === 'last_day' ? A_DAY : A_DAY_BEFORE;
  if (/^\d{12}$/.test(actual)) return purpose === 'last_minute' ? A_MINUTE : A_MINUTE_BEFORE;
  if (/^\w{13}-\d{16}$/.test(actual))
    return `${placeholderOf(actual.slice(0, 13), purpose)}-${placeholderOf(actual.slice(14), 'webhook_id')}`;
  const number = BigInt(`0x${createHash('sha256').update(purpose).digest('hex').slice(0, 15)}`);
  if (/^[0-9a-f]{32}$/.test(actual)) return createHash('sha256').update(purpose).digest('hex').slice(0, 32);
  if (UUID.pattern.test(actual))
    return createHash('sha256')
      .update(purpose)
      .digest('hex')
      .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-7$3-8$4-$5');
  const decimal = /^(\d{1,2}_|card:\/\/)?\d{16}$/.exec(actual);
  if (decimal) return `${decimal[1] ?? ''}${10n ** 15n + (number % 10n ** 15n)}`;
  return number.toString(36).padStart(actual.length, '0').slice(-actual.length);
}

/**
 * The document with recorded requests and responses of the demo world. Operations without a recording, which need a
 * person or would reveal secrets, get examples put together from those of single fields.
 */
export function withExamples(document: OpenAPIObject, recordings: RecordedCall[]): OpenAPIObject {
  const schemas = document.components!.schemas as Record<string, DocumentSchema>;
  const byId = new Map(recordings.map((recording) => [recording.operationId, recording]));
  for (const { path, method, operation } of operationsOf(document)) {
    const recorded = byId.get(operation.operationId!);
    for (const parameter of documentParametersOf(operation)) {
      const example = recorded?.path[parameter.name] ?? recorded?.query?.[parameter.name];
      if (example !== undefined) parameter.example = example;
      else if (parameter.required)
        parameter.example ??= sampleOf(parameter.schema, schemas) ?? idIn(path, method, parameter);
    }
    // These exist to be deleted, or for this operation alone, so that the other examples continue to work.
    for (const parameter of documentParametersOf(operation)) {
      const isDeleted = method === 'delete' && path.endsWith(`{${parameter.name}}`);
      if (isDeleted || recorded?.spare?.includes(parameter.name)) Object.assign(parameter, { 'x-spare': true });
    }
    for (const media of mediaOf(operation.requestBody)) {
      media.example = recorded ? recorded.body : (media.example ?? sampleOf(media.schema!, schemas, true));
      const unique = uniqueIn(media.schema!, schemas);
      if (unique.length > 0) media['x-unique'] = unique;
    }
    for (const [status, response] of Object.entries(operation.responses)) {
      for (const media of mediaOf(response)) {
        media.example ??=
          recorded && isLike(status, recorded.status) ? recorded.answer : sampleOf(media.schema!, schemas);
      }
    }
  }
  return document;
}

/** The placeholders of ids in the document, with their purposes; the longest first, since an id may contain others. */
export const placeholdersOf = (ids: Record<string, string>): [placeholder: string, purpose: string][] =>
  Object.entries(ids)
    .map(([purpose, id]): [string, string] => [placeholderOf(id, purpose), purpose])
    .sort(([one], [other]) => other.length - one.length);

/** The example of an id, a key or a name in a path without a recording: that of the demo, or of the item it deletes. */
function idIn(path: string, method: string, { name, schema, in: where }: ParameterObject & { schema: DocumentSchema }) {
  if (where !== 'path' || !/_(id|key|name)$/.test(name)) return undefined;
  const spare = method === 'delete' && path.endsWith(`{${name}}`) ? 'spare_' : '';
  const attached = path.endsWith('/{account_id}/clock') ? 'attached_' : spare;
  const own = /\/clocks\/\{clock_id\}\/accounts\//.test(path) ? 'followed_' : attached;
  const [short, long] = ['0'.repeat(13), '0'.repeat(16)];
  const like = { [DECIMAL.pattern.source]: long, [DELIVERY_ID]: `${short}-${long}` };
  return placeholderOf(like[String(schema.pattern)] ?? LIKE_MEDIA_KEYS[name] ?? short, `${own}${name}`);
}

/** Created and existing items have the same form. */
const isLike = (status: string, recorded: number) => status.startsWith('2') && String(recorded).startsWith('2');

/** Gives the body and the query of an operation without a recording the example of its DTO. */
export function describeExample(path: string, operation: Operation, models: Type<object>[]): void {
  const example = models.map(exampleOf).find((each) => each !== undefined);
  if (!example || isRecordable(path, operation)) return;
  const shown = withPlaceholders(example) as Record<string, unknown>;
  for (const media of mediaOf(operation.requestBody)) media.example = shown;
  for (const parameter of documentParametersOf(operation))
    if (parameter.in === 'query' && parameter.name in shown) parameter.example = shown[parameter.name];
}

/** The form of the media keys of the demo: those of a video and of an image. */
const LIKE_MEDIA_KEYS: Record<string, string> = {
  media_key: `7_${'0'.repeat(16)}`,
  media_key_image: `3_${'0'.repeat(16)}`,
  media_key_video: `7_${'0'.repeat(16)}`,
};

const NO_UUID = '00000000-0000-0000-0000-000000000000';

const MOMENTS: Record<string, string> = { tomorrow: A_MOMENT, five_days_ago: A_MOMENT_AGO };

/** An example with placeholders for the ids and times that it names, such as `{account_id}` and `{tomorrow}`. */
function withPlaceholders(example: unknown): unknown {
  if (Array.isArray(example)) return example.map(withPlaceholders);
  if (isObject(example))
    return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, withPlaceholders(value)]));
  const purpose = typeof example === 'string' ? /^\{(\w+)\}$/.exec(example)?.[1] : undefined;
  if (purpose === undefined) return example;
  // ids of users and uploads are decimal numbers
  const length = /(^|_)(user|media)_id$/.test(purpose) ? 16 : 13;
  const like = /(lead_form|export)_id$/.test(purpose) ? NO_UUID : (LIKE_MEDIA_KEYS[purpose] ?? '0'.repeat(length));
  return MOMENTS[purpose] ?? placeholderOf(like, purpose);
}

const mediaOf = (body: unknown) => Object.values((body as Body | undefined)?.content ?? {});

const resolved = (schema: DocumentSchema, schemas: Record<string, DocumentSchema>): DocumentSchema =>
  schema.$ref ? { ...schemas[schema.$ref.split('/').pop()!], ...schema, $ref: undefined } : schema;

/** The example of a schema, or one put together from its required fields. */
function sampleOf(schema: DocumentSchema, schemas: Record<string, DocumentSchema>, requiredOnly = false): unknown {
  const { examples, enum: words, properties, required = [], type, items, allOf, anyOf } = resolved(schema, schemas);
  if (!examples && Array.isArray(allOf))
    return Object.assign(
      {},
      ...(allOf as DocumentSchema[]).map((each) => sampleOf(each, schemas, requiredOnly)),
    ) as object;
  if (Array.isArray(examples)) return examples[0];
  if (Array.isArray(anyOf)) return sampleOf((anyOf as DocumentSchema[])[0], schemas);
  if (words) return words[0];
  if (type === 'array' && items) return [sampleOf(items, schemas)];
  if (!properties) return undefined;
  const names = Object.keys(properties).filter((name) => !requiredOnly || required.includes(name));
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name], schemas)]));
}

/** The fields whose values must be unique; for a batch, those of its operations. */
function uniqueIn(schema: DocumentSchema, schemas: Record<string, DocumentSchema>): string[] {
  const { properties = {}, items, oneOf } = resolved(schema, schemas) as DocumentSchema & { oneOf?: DocumentSchema[] };
  const inside = [items, properties.params, ...(oneOf ?? [])].flatMap((each) => (each ? uniqueIn(each, schemas) : []));
  const own = Object.entries(properties).flatMap(([name, field]) => (field['x-unique'] ? [name] : []));
  return [...new Set([...own, ...inside])];
}

/**
 * The text of the document for a reader of this demo world: it has the ids of that world, and new names in unique
 * fields, so that writes work as they are.
 */
export function withDemoIds(text: string, ids: Record<string, string>, newName: string): string {
  let filled = text;
  for (const [placeholder, purpose] of placeholdersOf(ids)) filled = filled.replaceAll(placeholder, ids[purpose]);
  const document = JSON.parse(filled) as OpenAPIObject;
  for (const { operation } of operationsOf(document)) {
    for (const media of mediaOf(operation.requestBody)) {
      if (media['x-unique']) media.example = renamed(media.example, media['x-unique'], newName);
    }
  }
  return JSON.stringify(document);
}

/** An example with new values in these fields; in a batch they are nested deeper. */
function renamed(example: unknown, fields: string[], newName: string, field = ''): unknown {
  if (typeof example === 'string') return fields.includes(field) ? `${example} ${newName}` : example;
  if (Array.isArray(example)) return example.map((each) => renamed(each, fields, newName));
  if (typeof example !== 'object' || example === null) return example;
  const renamedFields = Object.entries(example).map(([name, each]) => [name, renamed(each, fields, newName, name)]);
  return Object.fromEntries(renamedFields);
}

/** True if the demo world can answer the request without a person, so that it is recorded. */
export const isRecordable = (path: string, operation: Operation) =>
  familyOf(path) === 'ads' && mediaOf(operation.requestBody).every(({ schema }) => schema?.format !== 'binary');
