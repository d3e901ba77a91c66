import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, cut, repeatable } from '../../errors/api-error.js';
import { badRequestData, invalid, tooComplex, unavailable } from '../../errors/catalogue.js';
import { BodyMemory, BodyMemoryFull } from './body-memory.js';
import { hasTooManyParameters, MAX_PARAMETERS, objectOf, pairsOf } from './form-encoding.js';
import type { JsonBounds } from './json-bounds.js';
import { JsonRefusal, parseJson } from './parse-json.js';
import type { PendingBodies, PendingBody } from './pending-bodies.js';
import { Semaphore } from '../../semaphore.js';
import { familyOf } from '../urls/public-urls.js';
import { UnreadBody } from './unread-body.js';

/** Bodies are taken up to this size unless a route's config says otherwise. */
export const BODY_LIMIT = 1024 * 1024;
/** How much of a media type an error repeats. */
const MAX_TYPE_LENGTH = 200;

/**
 * What an endpoint takes as its body: a form, whose parameters may as well stand in the query; JSON; a form with a file; or
 * bytes. The last two are read while they arrive, after it is known who sends them (see takes-body.ts).
 */
export type BodyKind = 'form' | 'json' | 'multipart' | 'stream';

/** Forms beyond BODY_LIMIT, which are held because they are signed: few at a time, from when they have arrived to the answer. */
export interface LargeForms {
  /** In bytes. */
  limit: number;
  semaphore: Semaphore;
}

/** How many large forms may wait for their turn, and how long; then it is 503. */
const MAX_QUEUED = 64;
const PATIENCE_MS = 8_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The most bytes that the body may have. */
    bodyLimit?: number;
    /** How much a JSON body may hold, where it is not JSON_BOUNDS. */
    jsonBounds?: JsonBounds;
    /** The media types of bodies that are left to the handler to read; a subtype may be `*`. */
    unreadTypes?: readonly string[];
    /** Whether forms may be larger here. */
    largeForms?: LargeForms;
    /** What any other body is told. */
    takesJsonOnly?: boolean;
    /** The body is a form: any other body, JSON included, is 415. */
    takesFormOnly?: boolean;
  }
  interface FastifyInstance {
    /** What bodies that are held as a whole take. */
    bodyMemory: BodyMemory;
    /** The bodies that are on their way. */
    pendingBodies: PendingBodies;
    /** The id of the user whose upload a request is. */
    uploaderOf: (request: FastifyRequest) => string | undefined;
  }
  interface FastifyRequest {
    /** Its body on the way, and afterwards. */
    pendingBody?: PendingBody;
    /** The bytes that are held for the body until the answer is written. */
    bodyBytes?: number;
    /** Ends the turn of a large form. */
    endTurn?: () => void;
    /** The pairs of a form body, for the signature. */
    formPairs?: [string, string][];
    /** Set when a JSON body came. */
    hasJson?: boolean;
    /** A body that the handler reads itself. */
    unread?: UnreadBody;
    /** What is wrong with the body. */
    bodyFault?: unknown;
  }
}

/** Reads JSON and form bodies ourselves: one limit with a clean 413, empty bodies fine, and the pairs kept for the signature. */
export function installBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  addParser(fastify, 'application/json', readJson);
  addParser(fastify, 'application/x-www-form-urlencoded', readForm);
  addParser(fastify, '*', refuseAnyBody);
  fastify.addHook('onRequest', (request, _reply, done) => done(faultOfEncoding(request)));
  // Where a form is taken its parameters stand beside those of the query.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (request.bodyFault !== undefined) return done(request.bodyFault as Error);
    if (request.formPairs) request.query = objectOf(request.formPairs, { ...(request.query as object) });
    done();
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (request.bodyBytes !== undefined) fastify.bodyMemory.release(request.bodyBytes);
    request.bodyBytes = undefined;
    request.endTurn?.();
    request.endTurn = undefined;
    done(null, payload);
  });
  // Whoever answers before the whole body is here leaves the rest of it on the connection, before the next request.
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

/** Fastify closes the connection of a parser that fails. These have read the body, so the fault is told one step later. */
function addParser(fastify: FastifyInstance, type: string, read: ReadBody): void {
  fastify.addContentTypeParser(type, (request: FastifyRequest, payload: IncomingMessage) => {
    // what is sent to nowhere is read to its end, for the connection's sake, and looked at by nobody
    const body = request.is404 ? skipBody(request, payload).then(() => undefined) : read(request, payload);
    return body.catch((fault: unknown) => void (request.bodyFault = faultFor(request, fault)));
  });
}

async function readJson(request: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
  const { takesFormOnly, jsonBounds } = request.routeOptions.config;
  if (takesFormOnly) return refuseAnyBody(request, payload);
  if (isLeftUnread(request, payload)) return undefined;
  const value = await parseJson(await holdBody(request, payload), jsonBounds);
  if (value !== undefined) request.hasJson = true;
  return value;
}

async function readForm(request: FastifyRequest, payload: IncomingMessage): Promise<undefined> {
  const { largeForms } = request.routeOptions.config;
  const isLarge = largeForms && !(Number(request.headers['content-length'] ?? Infinity) <= BODY_LIMIT);
  const bytes = await holdBody(request, payload, isLarge ? largeForms.limit : undefined);
  // not before it is here: senders that are slow must not keep the semaphore of others
  if (isLarge && bytes.length > BODY_LIMIT && !(await hasTurn(request, largeForms.semaphore)))
    throw new BodyMemoryFull();
  // what nobody can have signed need not be compared with a signature
  if (!isUtf8(bytes)) throw refusalOf(request)('The body must be UTF-8', 'it has bytes that are none');
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

/** Leaves a body to the handler where the route reads its type, and refuses any other, unless it is empty. */
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

async function holdBody(request: FastifyRequest, payload: IncomingMessage, limit = heldLimitOf(request)) {
  const bytes = await request.server.bodyMemory.read(payload, limit, request.pendingBody);
  request.bodyBytes = bytes.length;
  return bytes;
}

const skipBody = (request: FastifyRequest, payload: IncomingMessage): Promise<number> =>
  request.server.bodyMemory.skip(payload, limitOf(request), request.pendingBody);

const limitOf = (request: FastifyRequest) => request.routeOptions.config.bodyLimit ?? BODY_LIMIT;

/** A body that a route reads while it arrives has a limit of its own: what is held whole does not share it. */
const heldLimitOf = (request: FastifyRequest) =>
  request.routeOptions.config.unreadTypes ? BODY_LIMIT : limitOf(request);

function faultOfEncoding({ headers }: FastifyRequest): ApiError | undefined {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return undefined;
  return new ApiError(415, 'INVALID_PARAMETER', 'Compressed bodies are not taken', {
    parameter: 'Content-Encoding',
    value: repeatable(encoding),
  });
}

/** Waits until a large form may be decoded; false where there are too many. */
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

const mediaTypeOf = (request: FastifyRequest) =>
  // RFC 9110, 8.3: without a type it is bytes.
  (request.headers['content-type'] ?? 'application/octet-stream').split(';', 1)[0].trim().toLowerCase();

const covers = (range: string, type: string) =>
  range.endsWith('/*') ? type.startsWith(range.slice(0, -1)) : range === type;

/** 415 for a body in a form that the endpoint does not take. */
export const unsupported = (given: string | undefined, wanted: string) =>
  new ApiError(
    415,
    'INVALID_PARAMETER',
    `Expected ${wanted} for Content-Type, got ${given ? `"${cut(given, MAX_TYPE_LENGTH)}"` : 'none'}`,
    { parameter: 'Content-Type', value: repeatable(given) },
  );

/** How what is wrong with a body is told in the family of the endpoint. */
const refusalOf = (request: FastifyRequest) => (message: string, details: string) =>
  familyOf(request.url) === 'auth' ? badRequestData(message) : invalid('body', message, { details });

/** What reading a body failed with, as it is answered. */
function faultFor(request: FastifyRequest, fault: unknown): unknown {
  // A batch that may be larger than other bodies has its size for a limit, and a code that says so.
  const { takesJsonOnly, bodyLimit } = request.routeOptions.config;
  if (fault instanceof ApiError && fault.status === 413 && takesJsonOnly && bodyLimit !== undefined)
    return tooComplex(fault);
  if (fault instanceof JsonRefusal) return refusalOf(request)(fault.message, fault.details);
  if (!(fault instanceof BodyMemoryFull)) return fault;
  return unavailable(familyOf(request.url) === 'ads');
}
