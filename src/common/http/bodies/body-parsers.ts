import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, truncate, truncatedValue } from '../../errors/api-error.js';
import { badRequestData, invalid, tooComplex, unavailable } from '../../errors/catalogue.js';
import { BodyMemory, BodyMemoryFull } from './body-memory.js';
import { hasTooManyParameters, MAX_PARAMETERS, objectOf, pairsOf } from './form-encoding.js';
import type { JsonBounds } from './json-bounds.js';
import { JsonRefusal, parseJson } from './parse-json.js';
import type { PendingBodies, PendingBody } from './pending-bodies.js';
import { Semaphore } from '../../concurrency/semaphore.js';
import { familyOf } from '../urls/public-urls.js';
import { UnreadBody } from './unread-body.js';

/** Default maximum size of a body; a route's config may override it. */
const BODY_LIMIT = 1024 * 1024;
/** Maximum length of a media type in an error. */
const MAX_TYPE_LENGTH = 200;

/**
 * The kind of body of an endpoint: a form, whose parameters may also be in the query; JSON; a form with a file; or
 * bytes. The last two are read while they arrive, after authentication (see takes-body.ts).
 */
export type BodyKind = 'form' | 'json' | 'multipart' | 'stream';

/**
 * Forms and JSON bodies beyond BODY_LIMIT, which are buffered because they are signed or parsed. A limited number is
 * processed at a time, from arrival to the response.
 */
export interface LargeForms {
  /** In bytes. */
  limit: number;
  semaphore: Semaphore;
}

/** Maximum number of large bodies that wait, and their timeout; beyond it is 503. */
const MAX_QUEUED = 64;
const PATIENCE_MS = 8_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Maximum number of bytes of the body. */
    bodyLimit?: number;
    /** Bounds of a JSON body, where they differ from JSON_BOUNDS. */
    jsonBounds?: JsonBounds;
    /** The media types of bodies that the handler reads; a subtype may be `*`. */
    unreadTypes?: readonly string[];
    /** Whether the route takes larger forms, and JSON bodies if it takes JSON. */
    largeForms?: LargeForms;
    /** The error detail for any other body. */
    takesJsonOnly?: boolean;
    /** The body is a form: any other body, JSON included, is 415. */
    takesFormOnly?: boolean;
  }
  interface FastifyInstance {
    /** Memory for buffered bodies. */
    bodyMemory: BodyMemory;
    /** The arriving bodies. */
    pendingBodies: PendingBodies;
    /** The id of the user who uploads. */
    uploaderOf: (request: FastifyRequest) => string | undefined;
  }
  interface FastifyRequest {
    /** The body, while it arrives and afterwards. */
    pendingBody?: PendingBody;
    /** The bytes held for the body until the response is written. */
    bodyBytes?: number;
    /** Releases the slot of a large body. */
    endTurn?: () => void;
    /** The pairs of a form body, for the signature. */
    formPairs?: [string, string][];
    /** Set for a JSON body. */
    hasJson?: boolean;
    /** A body that the handler reads. */
    unread?: UnreadBody;
    /** The error of the body. */
    bodyFault?: unknown;
  }
}

/**
 * Replaces Fastify's parsers for JSON and form bodies: one limit with a clean 413, empty bodies allowed, and the pairs
 * kept for the signature.
 */
export function installBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  addParser(fastify, 'application/json', readJson);
  addParser(fastify, 'application/x-www-form-urlencoded', readForm);
  addParser(fastify, '*', refuseAnyBody);
  fastify.addHook('onRequest', (request, _reply, done) => {
    correctBoundary(request.headers);
    done(faultOfEncoding(request));
  });
  // For endpoints that take a form, its parameters are merged with those of the query.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (request.bodyFault !== undefined) return done(request.bodyFault as Error);
    if (request.formPairs) request.query = objectOf(request.formPairs, { ...(request.query as object) });
    done();
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (request.bodyBytes !== undefined) fastify.bodyMemory.release(request.bodyBytes);
    request.bodyBytes = undefined;
    endTurn(request);
    done(null, payload);
  });
  // A response before the end of the body would leave the rest of it on the connection, before the next request.
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (!request.unread) return done(null, payload);
    request.unread.discard().then(
      (drained) => {
        if (!drained) reply.header('connection', 'close');
        done(null, payload);
      },
      (error: Error) => done(error),
    );
  });
}

type ReadBody = (request: FastifyRequest, payload: IncomingMessage) => Promise<unknown>;

/**
 * Fastify closes the connection when a parser fails. These parsers have read the body, so the error is thrown one step
 * later.
 */
function addParser(fastify: FastifyInstance, type: string, read: ReadBody): void {
  fastify.addContentTypeParser(type, (request: FastifyRequest, payload: IncomingMessage) => {
    // a body to an unknown route is read to its end to keep the connection, and discarded
    const body = request.is404 ? skipBody(request, payload).then(() => undefined) : read(request, payload);
    return body.catch((fault: unknown) => void (request.bodyFault = faultFor(request, fault)));
  });
}

async function readJson(request: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
  const { takesFormOnly, jsonBounds } = request.routeOptions.config;
  if (takesFormOnly) return refuseAnyBody(request, payload);
  if (isLeftUnread(request, payload)) return undefined;
  const value = await parseJson(await holdInTurn(request, payload), jsonBounds);
  if (value !== undefined) request.hasJson = true;
  return value;
}

async function readForm(request: FastifyRequest, payload: IncomingMessage): Promise<undefined> {
  const bytes = await holdInTurn(request, payload);
  // text that is not UTF-8 cannot be signed, so no signature needs to be compared
  if (!isUtf8(bytes)) throw refusalOf(request)('The body must be UTF-8', 'it contains bytes that are not UTF-8');
  const text = bytes.toString('utf8');
  if (hasTooManyParameters(text)) {
    throw refusalOf(request)(
      `The body must have at most ${MAX_PARAMETERS} parameters`,
      `more than ${MAX_PARAMETERS} were sent`,
    );
  }
  request.formPairs = pairsOf(text);
  return undefined;
}

/** Leaves a body to the handler when the route reads its type. Rejects any other body unless it is empty. */
async function refuseAnyBody(request: FastifyRequest, payload: IncomingMessage): Promise<undefined> {
  if (isLeftUnread(request, payload)) return undefined;
  const { unreadTypes, takesJsonOnly, takesFormOnly } = request.routeOptions.config;
  if ((await skipBody(request, payload)) === 0) return undefined;
  const taken = [!takesFormOnly && 'application/json', !takesJsonOnly && 'application/x-www-form-urlencoded'];
  throw unsupported(request.headers['content-type'], (unreadTypes ?? taken.filter(Boolean)).join(' or '));
}

function isLeftUnread(request: FastifyRequest, payload: IncomingMessage): boolean {
  const type = mediaTypeOf(request);
  const isUnread = request.routeOptions.config.unreadTypes?.some((each) => covers(each, type)) ?? false;
  if (isUnread) request.unread = new UnreadBody(payload, limitOf(request), request.pendingBody);
  return isUnread;
}

/** Holds a body; one beyond BODY_LIMIT waits for its turn, if the route takes such bodies. */
async function holdInTurn(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  const { largeForms } = request.routeOptions.config;
  const isLarge = largeForms && !(Number(request.headers['content-length'] ?? Infinity) <= BODY_LIMIT);
  const bytes = await holdBody(request, payload, isLarge ? largeForms.limit : undefined);
  // only after the body has arrived: slow senders must not hold the slots of others
  if (isLarge && bytes.length > BODY_LIMIT && !(await hasTurn(request, largeForms.semaphore)))
    throw new BodyMemoryFull();
  return bytes;
}

async function holdBody(request: FastifyRequest, payload: IncomingMessage, limit = heldLimitOf(request)) {
  const bytes = await request.server.bodyMemory.read(payload, limit, request.pendingBody);
  request.bodyBytes = bytes.length;
  return bytes;
}

const skipBody = (request: FastifyRequest, payload: IncomingMessage): Promise<number> =>
  request.server.bodyMemory.skip(payload, limitOf(request), request.pendingBody);

const limitOf = (request: FastifyRequest) => request.routeOptions.config.bodyLimit ?? BODY_LIMIT;

/** A body that a route reads while it arrives has its own limit, which does not apply to buffered bodies. */
const heldLimitOf = (request: FastifyRequest) =>
  request.routeOptions.config.unreadTypes ? BODY_LIMIT : limitOf(request);

/** twurl separates the boundary of a multipart body with a comma instead of a semicolon. */
function correctBoundary(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  if (type?.startsWith('multipart/form-data,')) headers['content-type'] = type.replace(',', ';');
}

function faultOfEncoding({ headers }: FastifyRequest): ApiError | undefined {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return undefined;
  return new ApiError(415, 'INVALID_PARAMETER', 'Compressed bodies are not supported', {
    parameter: 'Content-Encoding',
    value: truncatedValue(encoding),
  });
}

/** Waits until a large body may be decoded; false when too many wait. */
function hasTurn(request: FastifyRequest, semaphore: Semaphore): Promise<boolean> {
  return new Promise((resolve) => {
    const turn = () =>
      new Promise<void>((end) => {
        request.endTurn = end;
        resolve(true);
      });
    const limits = { maxQueued: MAX_QUEUED, timeoutMs: PATIENCE_MS, refusal: () => new BodyMemoryFull() };
    semaphore.run(turn, limits).catch(() => resolve(false));
  });
}

/** The next large body may be decoded. */
export function endTurn(request: FastifyRequest): void {
  request.endTurn?.();
  request.endTurn = undefined;
}

const mediaTypeOf = (request: FastifyRequest) =>
  // RFC 9110, 8.3: the default type is bytes.
  (request.headers['content-type'] ?? 'application/octet-stream').split(';', 1)[0].trim().toLowerCase();

const covers = (range: string, type: string) =>
  range.endsWith('/*') ? type.startsWith(range.slice(0, -1)) : range === type;

/** 415 for a body of a type that the endpoint does not take. */
export const unsupported = (given: string | undefined, wanted: string) =>
  new ApiError(
    415,
    'INVALID_PARAMETER',
    `Expected ${wanted} for Content-Type, got ${given ? `"${truncate(given, MAX_TYPE_LENGTH)}"` : 'none'}`,
    { parameter: 'Content-Type', value: truncatedValue(given) },
  );

/** The error for an invalid body, in the family of the endpoint. */
const refusalOf = (request: FastifyRequest) => (message: string, details: string) =>
  familyOf(request.url) === 'auth' ? badRequestData(message) : invalid('body', message, { details });

/** Converts an error of reading a body to the error of the response. */
function faultFor(request: FastifyRequest, fault: unknown): unknown {
  // A batch with a larger limit than other bodies has a separate code for its size.
  const { takesJsonOnly, bodyLimit } = request.routeOptions.config;
  if (fault instanceof ApiError && fault.status === 413 && takesJsonOnly && bodyLimit !== undefined)
    return tooComplex(fault);
  if (fault instanceof JsonRefusal) return refusalOf(request)(fault.message, fault.details);
  if (!(fault instanceof BodyMemoryFull)) return fault;
  return memoryFull(request);
}

/** The error without memory for another body. */
export const memoryFull = ({ url }: FastifyRequest): ApiError =>
  unavailable(familyOf(url) === 'ads').because('body-memory');
