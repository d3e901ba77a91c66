import type { OpenAPIObject } from '@nestjs/swagger';
import { isObject } from '../../common/values/is-object.js';
import { swapErrors } from '../../names/swap-errors.js';
import { swapJson } from '../../names/swap-json.js';
import { hasWords, swapCode, swapHeader, swapName, swapPath, swapProse, swapText } from '../../names/swap.js';
import { NAMES, ONLY_OURS } from '../../names/table.js';

/** Where a part of the document stands. */
interface SchemaContext {
  /** The parameter or field whose values it describes. */
  name: string;
  /** The fields whose values each shared schema describes. */
  namesOf: Map<string, string[]>;
}

type Read = (value: unknown, place: SchemaContext) => unknown;

const SCHEMA = '#/components/schemas/';
/** The field with the code of an error. */
const CODE = 'code';
const omitted = new Set(ONLY_OURS);

const prose: Read = (value) => (typeof value === 'string' ? swapProse(value) : value);
const example: Read = (value, { name }) =>
  isObject(value) && ('errors' in value || 'operation_errors' in value) ? swapErrors(value) : swapJson(value, name);
/** A list in a schema; in a body, objects by name. */
const examples: Read = (value, place) => {
  if (Array.isArray(value)) return value.map((each) => example(each, place));
  return renamed(
    value as object,
    (kind) => swapText('kind', kind),
    (each) => ({ ...(each as object), value: example((each as { value: unknown }).value, place) }),
  );
};
const words: Read = (value, { name }) =>
  (value as unknown[]).map((word) => (name === CODE ? swapCode(String(word)) : swapJson(word, name)));
const fieldNames: Read = (value, place) =>
  Array.isArray(value) ? (value as string[]).filter((name) => !omitted.has(name)).map(swapName) : swapAll(value, place);
const same: Read = (value) => value;
const unchanged = (name: string) => name;

/** The reader for each keyword of the document. Others have parts of the document. */
const KEYWORDS: Record<string, Read> = {
  operationId: same,
  $ref: same,
  pattern: same,
  tags: same,
  security: same,
  description: prose,
  summary: prose,
  default: example,
  const: example,
  example,
  examples,
  enum: words,
  required: fieldNames,
  'x-unique': fieldNames,
  encoding: (value, place) => renamed(value as object, swapName, (each) => swapAll(each, place)),
  properties: (value, place) => fieldsOf(value as object, place),
  links: (value) => renamed(value as object, unchanged, (link) => linkOf(link as Link)),
  parameters: (value, place) => (value as object[]).map((each) => parameterOf(each as Parameter, place)),
};

interface Parameter {
  name?: string;
  in?: string;
}

/**
 * The same document with the names and words of X's public documentation: paths, parameters, fields, enumerations,
 * codes, examples, and names in descriptions. Operation ids and the names of schemas identify the same things in both
 * documents.
 */
export function documentWithNamesOfX(document: OpenAPIObject): OpenAPIObject {
  const { paths, webhooks = {}, components, info, ...rest } = document;
  const place = { name: '', namesOf: namesOfSchemas(document) };
  const { schemas = {}, ...others } = components ?? {};
  return {
    ...rest,
    info: { ...info, description: swapProse(info.description ?? '') },
    paths: renamed(paths, swapPath, (item) => swapAll(item, place)) as OpenAPIObject['paths'],
    webhooks: renamed(webhooks, swapName, (item) => swapAll(item, place)) as OpenAPIObject['webhooks'],
    components: {
      ...(swapAll(others, place) as OpenAPIObject['components']),
      schemas: renamed(schemas, unchanged, (schema, name) =>
        swapAll(schema, { ...place, name: nameWithWords(place.namesOf.get(name)) }),
      ) as NonNullable<OpenAPIObject['components']>['schemas'],
    },
  };
}

const nameWithWords = (names: string[] = []): string => names.find((name) => hasWords(name) || name === CODE) ?? '';

/** An object with other keys and values, in the same order. */
const renamed = (
  record: object,
  rename: (name: string) => string,
  change: (value: unknown, name: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [rename(name), change(value, name)]));

/** A part of the document in X's vocabulary. */
function swapAll(value: unknown, place: SchemaContext): unknown {
  if (Array.isArray(value)) return value.map((each) => swapAll(each, place));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([keyword, own]) => [keyword, (KEYWORDS[keyword] ?? swapAll)(own, place)]),
  );
}

function fieldsOf(properties: object, place: SchemaContext): Record<string, unknown> {
  // of two names that the service accepts for the same, the first stays, under X's name
  const isAlias = (name: string) => !(name in NAMES) && swapName(name) !== name && swapName(name) in properties;
  const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => !omitted.has(name) && !isAlias(name)));
  return renamed(kept, swapName, (schema, name) => swapAll(schema, { ...place, name }));
}

function parameterOf(parameter: Parameter, place: SchemaContext): object {
  const { name = '' } = parameter;
  const swapped = swapAll(parameter, { ...place, name }) as object;
  return parameter.name === undefined
    ? swapped
    : { ...swapped, name: parameter.in === 'header' ? swapHeader(name) : swapName(name) };
}

/** What a link sends: where each value stands, by the name of the parameter or field. */
interface Link {
  operationId: string;
  parameters: Record<string, string>;
  requestBody?: Record<string, string>;
  server?: object;
}

function linkOf({ operationId, parameters, requestBody, ...rest }: Link): object {
  const swapped = (values: object) => renamed(values, swapName, (place) => swapPlace(String(place)));
  return {
    operationId,
    parameters: swapped(parameters),
    ...(requestBody && { requestBody: swapped(requestBody) }),
    ...rest,
  };
}

/** A runtime expression, such as `$response.body#/data/id`. */
const swapPlace = (place: string): string => place.replace(/(?<=[./])\w+/g, swapName);

/** By shared schema: the parameters and fields that refer to it, alone or as elements of a list. */
function namesOfSchemas(document: OpenAPIObject): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const note = (name: string, schema: unknown): void => {
    if (!isObject(schema)) return;
    const { $ref, items, anyOf, allOf, oneOf } = schema as {
      $ref?: string;
      items?: unknown;
      anyOf?: unknown[];
      allOf?: unknown[];
      oneOf?: unknown[];
    };
    if ($ref?.startsWith(SCHEMA)) {
      const of = $ref.slice(SCHEMA.length);
      found.set(of, [...(found.get(of) ?? []), name]);
    }
    for (const part of [items, ...(anyOf ?? []), ...(allOf ?? []), ...(oneOf ?? [])]) note(name, part);
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isObject(value)) return;
    const { name, schema, properties } = value as { name?: unknown; schema?: unknown; properties?: unknown };
    if (typeof name === 'string') note(name, schema);
    if (isObject(properties)) for (const [field, own] of Object.entries(properties)) note(field, own);
    Object.values(value).forEach(visit);
  };
  visit(document);
  return found;
}
