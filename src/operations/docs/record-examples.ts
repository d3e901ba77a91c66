import { randomBytes } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { AccountChange } from '../../accounts/change-log/account-change.entity.js';
import { percentEncode } from '../../auth/headers/percent.js';
import { sign, type Pair } from '../../auth/signature/signature.js';
import { exampleOf } from '../../common/http/params/dto-metadata.js';
import { operationIdOf } from '../../common/http/server/http-operations.js';
import { Clock } from '../../common/time/clock.js';
import { rows } from '../../common/db/query/rows.js';
import { Config, withoutSlash } from '../../config/config.js';
import type { DemoCredentials } from '../../demo/credentials-file.js';
import { eventOf, eventKindOf, renderEvent } from '../../webhooks/events/event-body.js';
import { recordedAs } from './events.js';
import { isDate, isRecordable, momentsFrom, placeholderOf, type RecordedCall } from './examples.js';
import { handlersOf, type EndpointHandler } from './handlers.js';
import { operationsOf, rankOfOnce, type Operation } from './operation.js';
import { documentParametersOf } from './parameters.js';

type Values = Record<string, unknown>;
interface PlannedCall {
  path: string;
  method: string;
  operation: Operation;
  handler: EndpointHandler;
}

/** Maximum number of list items in an example. */
const SHOWN = 2;
/** Reads first, then creates and updates, then deletes. */
const ORDER = ['get', 'post', 'put', 'delete'];

const rankOf = (each: PlannedCall) => ORDER.indexOf(each.method) + rankOfOnce(each);

/**
 * Sends every recordable operation to the demo world, with the example of its DTO, and records the response. A response
 * other than 2xx is an error in the example, or in the demo, which must have what the example names.
 */
export async function recordExamples(
  app: NestFastifyApplication,
  document: OpenAPIObject,
  demo: DemoCredentials,
): Promise<RecordedCall[]> {
  const handlers = new Map(handlersOf(app).map((each) => [operationIdOf(each.controller.name, each.name), each]));
  const planned = operationsOf(document)
    .filter(({ path, operation }) => isRecordable(path, operation))
    .map((each): PlannedCall => ({ ...each, handler: handlers.get(each.operation.operationId!)! }))
    .sort((one, other) => rankOf(one) - rankOf(other));
  const known = { ...demo.examples, ...momentsFrom(app.get(Clock).now()) };
  const recordings: RecordedCall[] = [];
  for (const each of planned) recordings.push(await record(app, each, { ...demo, examples: known }));
  return withPlaceholders([...recordings, ...(await recordEvents(app))], known);
}

/** The events that webhooks receive for these requests: the first of each kind. */
async function recordEvents(app: NestFastifyApplication): Promise<RecordedCall[]> {
  const db = app.get(DataSource).manager;
  const kinds = new Map<string, RecordedCall>();
  for (const event of (await rows(db, AccountChange).orderBy('id').getMany()).map(eventOf)) {
    const operationId = recordedAs(eventKindOf(event));
    if (!kinds.has(operationId))
      kinds.set(operationId, { operationId, path: {}, status: 200, answer: JSON.parse(renderEvent(event)) });
  }
  return [...kinds.values()].sort((one, other) => (one.operationId < other.operationId ? -1 : 1));
}

async function record(app: NestFastifyApplication, planned: PlannedCall, demo: DemoCredentials): Promise<RecordedCall> {
  const { path, method, operation } = planned;
  const ids = idsFor(planned, demo.examples);
  const filled = Object.fromEntries(
    documentParametersOf(operation)
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => [name, ids(name)]),
  );
  const example = exampleFor(planned, ids);
  const asJson = operation.requestBody !== undefined && 'application/json' in contentOf(operation);
  const asForm = operation.requestBody !== undefined && !asJson;
  const request = {
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => filled[name]),
    sandbox: operation['x-sandbox-only'] === true,
    ...(asJson && { json: example }),
    ...(asForm && { form: example as Values }),
    ...(!operation.requestBody && { query: example as Values }),
  };
  const { status, body } = await call(app, demo, request);
  if (status >= 300) throw new Error(`${operation.operationId}: its example gets ${status} ${JSON.stringify(body)}`);
  const spare = Object.keys(filled).filter((name) => ownOf(operation, name) in demo.examples);
  return {
    operationId: operation.operationId!,
    path: filled,
    ...(spare.length > 0 && { spare }),
    ...(operation.requestBody ? { body: example } : { query: example as Values }),
    status,
    answer: shortened(body),
  };
}

const contentOf = ({ requestBody }: Operation) => (requestBody as { content: Record<string, object> }).content;

/**
 * Ids of the demo by name: sandbox operations use those of the sandbox, deletes use spare ones. When several kinds of
 * items share a name, the preceding path segment may qualify it: `poll_card_id` for `cards/poll/{card_id}`. An
 * operation that works only once has its own id: `createDoNotReachList.account_id`.
 */
function idsFor({ path, method, operation }: PlannedCall, known: Record<string, string>) {
  return (name: string): string => {
    const spare = method === 'delete' && path.endsWith(`{${name}}`) ? 'spare_' : '';
    const own = `${spare}${operation['x-sandbox-only'] ? 'sandbox_' : ''}`;
    const at = path.indexOf(`/{${name}}`);
    const segment = at < 0 ? undefined : path.slice(0, at).split('/').at(-1);
    const purpose = `${own}${name}`;
    const found = known[ownOf(operation, name)] ?? known[`${own}${segment}_${name}`] ?? known[purpose];
    if (found) return found;
    throw new Error(`${operation.operationId}: the demo has no ${purpose} to show; create one in src/demo/demo.ts`);
  };
}

/** The name in the demo of an id that belongs to a single operation. */
const ownOf = ({ operationId }: Operation, name: string) => `${operationId}.${name}`;

/** The example of the operation's DTO, with ids filled in. */
function exampleFor({ operation, handler, method }: PlannedCall, ids: (name: string) => string): unknown {
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each)]));
    return typeof value === 'string' ? value.replace(/\{(\w+)\}/g, (_, name: string) => ids(name)) : value;
  };
  if (handler.inputs) {
    const inputs = Object.entries(handler.inputs).flatMap(([type, input]) => {
      const params = exampleOf(input);
      return params ? [{ operation_type: type, params: fill(params) }] : [];
    });
    if (inputs.length === 0) throw new Error(`${operation.operationId}: none of its operations has an @Example`);
    return inputs;
  }
  const [model] = handler.models;
  const params = model && exampleOf(model);
  if (model && !params && method !== 'get')
    throw new Error(`${operation.operationId}: ${model.name} needs an @Example`);
  return fill(params ?? {});
}

async function call(
  app: NestFastifyApplication,
  demo: DemoCredentials,
  request: { method: string; path: string; sandbox: boolean; query?: Values; form?: Values; json?: unknown },
): Promise<{ status: number; body: unknown }> {
  const config = app.get(Config);
  const query = encoded(pairsOf(request.query ?? {}));
  const base = withoutSlash(request.sandbox ? config.adsSandboxBaseUrl : config.adsBaseUrl);
  const url = `${base}${request.path}${query && `?${query}`}`;
  const form = pairsOf(request.form ?? {});
  // No two items of the demo have the same time of creation.
  app.get(Clock).advance(60_000);
  const authorization = sign({
    method: request.method,
    url,
    params: form,
    consumer: { key: demo.consumer_key, secret: demo.consumer_secret },
    token: { key: demo.access_token, secret: demo.access_token_secret },
    timestamp: app.get(Clock).seconds(),
    nonce: randomBytes(8).toString('hex'),
  });
  const { host, pathname, search } = new URL(url);
  const type = request.json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const payload = request.json === undefined ? encoded(form) : JSON.stringify(request.json);
  const { statusCode, body } = await app.inject({
    method: request.method as 'GET',
    url: `${pathname}${search}`,
    headers: { host, authorization, ...(payload && { 'content-type': type }) },
    ...(payload && { payload }),
  });
  return { status: statusCode, body: JSON.parse(body) as unknown };
}

const pairsOf = (values: Values): Pair[] => Object.entries(values).map(([name, value]): Pair => [name, String(value)]);

const encoded = (pairs: Pair[]) =>
  pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');

const shortened = (body: unknown): unknown => {
  const { data } = body as { data: unknown };
  return Array.isArray(data) ? { ...(body as object), data: data.slice(0, SHOWN) } : body;
};

/** The end of the URL of a preview or a file; each has a signature with another key. */
const SIGNATURES = /(\/(?:previews|lead-exports)\/[\w.-]+\.)[\w-]{43}/g;

const NUMBER = /\d{16}$/;
/** Numeric ids and file names, which are random in each demo. */
const DRAWN = /(?<![0-9a-f])(?:\d{16}(?![0-9a-f])|[0-9a-f]{32}(?=\.[a-z]))/g;

/** Shorter ids are those of reference data, which never change. */
const MIN_REPLACED_LENGTH = 11;

/** Names of apps and hashes, which are the same in each demo: fields such as `app_id` and `hashed_device_id` have them. */
const IS_GIVEN = /\.|^[0-9a-f]{64}$/;

/** Replaces ids, which are random in each demo, with placeholders that are the same in every release. */
function withPlaceholders(recordings: RecordedCall[], known: Record<string, string>): RecordedCall[] {
  // a key or URI contains its number; if the number is known, it determines both placeholders
  const entries = Object.entries(known).map(([purpose, id]) => ({ purpose, id, number: NUMBER.exec(id)?.[0] ?? id }));
  entries.sort((one, other) => Number(one.id === one.number) - Number(other.id === other.number));
  const purposes = new Map(entries.map(({ purpose, number }) => [number, purpose]));
  for (const recording of recordings) {
    let count = 0;
    for (const id of [...idsIn(recording), ...(JSON.stringify(recording).match(DRAWN) ?? [])]) {
      if (id.length >= MIN_REPLACED_LENGTH && !IS_GIVEN.test(id) && !purposes.has(id))
        purposes.set(id, `${recording.operationId} ${++count}`);
    }
  }
  let text = JSON.stringify(recordings);
  for (const [id, purpose] of purposes) {
    // a date is a part of times, which stay as they are
    const quote = isDate(id) ? '"' : '';
    text = text.replaceAll(`${quote}${id}${quote}`, `${quote}${placeholderOf(id, purpose)}${quote}`);
  }
  return JSON.parse(text.replace(SIGNATURES, '$1signature')) as RecordedCall[];
}

/** Every id in the value, by the field names of ids. */
function idsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return /(^|_)ids?$/.test(name) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => idsIn(each, name));
  return Object.entries(value).flatMap(([key, each]) => idsIn(each, key));
}
