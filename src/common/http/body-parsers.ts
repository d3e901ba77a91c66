import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { badRequestData, invalid } from '../errors/catalogue.js';
import { hasTooManyParameters, MOST_PARAMETERS, objectOf, pairsOf } from './form-encoding.js';
import { familyOf } from './public-urls.js';
import { cancelled, DRAIN_LIMIT, tooLarge, UnreadBody } from './unread-body.js';

/** Bodies are taken up to this size unless a route's config says otherwise. */
export const BODY_LIMIT = 1024 * 1024;
const DEEPEST = 20;

/**
 * What an endpoint takes as its body: a form, whose parameters may as well stand in the query; JSON; a form with a file; or
 * bytes. The last two are read while they arrive, after it is known who sends them (see takes-body.ts).
 */
export type BodyKind = 'form' | 'json' | 'multipart' | 'stream';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The most bytes that the body may have. */
    bodyLimit?: number;
    /** The media types of bodies that are left to the handler to read; a subtype may be `*`. */
    unreadTypes?: readonly string[];
    /** What any other body is told. */
    takesJsonOnly?: boolean;
  }
  interface FastifyRequest {
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
  // Fastify closes the connection of a parser that fails. These have read the body, so the fault is told one step later.
  const parse = (type: string, read: (request: FastifyRequest, payload: IncomingMessage) => Promise<unknown>) =>
    fastify.addContentTypeParser(type, (request: FastifyRequest, payload: IncomingMessage) => {
      // what is sent to nowhere is read to its end, for the connection's sake, and looked at by nobody
      const body = request.is404 ? readAll(request, payload).then(() => undefined) : read(request, payload);
      return body.catch((fault: unknown) => void (request.bodyFault = fault));
    });
  parse('application/json', async (request, payload) => {
    const text = await readAll(request, payload);
    if (text.trim() === '') return undefined;
    request.hasJson = true;
    return parseJson(text, request);
  });
  parse('application/x-www-form-urlencoded', async (request, payload) => {
    const text = await readAll(request, payload);
    if (hasTooManyParameters(text)) {
      throw refusalOf(request)(
        `The body must have at most ${MOST_PARAMETERS} parameters`,
        `more than ${MOST_PARAMETERS} were sent`,
      );
    }
    request.formPairs = pairsOf(text);
    return undefined;
  });
  parse('*', async (request, payload) => {
    const { unreadTypes, bodyLimit = BODY_LIMIT } = request.routeOptions.config;
    const type = mediaTypeOf(request);
    if (unreadTypes?.some((each) => covers(each, type))) {
      request.unread = new UnreadBody(payload, bodyLimit);
      return undefined;
    }
    const text = await readAll(request, payload);
    if (text !== '')
      throw unsupported(
        request.headers['content-type'],
        unreadTypes?.join(' or ') ??
          (request.routeOptions.config.takesJsonOnly
            ? 'application/json'
            : 'application/json or application/x-www-form-urlencoded'),
      );
    return undefined;
  });

  fastify.addHook('onRequest', (request, _reply, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return done();
    done(
      new ApiError(415, 'INVALID_PARAMETER', 'Compressed bodies are not taken', {
        parameter: 'Content-Encoding',
        value: encoding,
      }),
    );
  });
  // Where a form is taken its parameters stand beside those of the query (Part 1, 2.1 (2)).
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (request.bodyFault !== undefined) return done(request.bodyFault as Error);
    if (request.formPairs) request.query = objectOf(request.formPairs, { ...(request.query as object) });
    done();
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

const mediaTypeOf = (request: FastifyRequest) =>
  // RFC 9110, 8.3: without a type it is bytes.
  (request.headers['content-type'] ?? 'application/octet-stream').split(';', 1)[0].trim().toLowerCase();

const covers = (range: string, type: string) =>
  range.endsWith('/*') ? type.startsWith(range.slice(0, -1)) : range === type;

/** 415 for a body in a form that the endpoint does not take. */
export const unsupported = (given: string | undefined, wanted: string) =>
  new ApiError(415, 'INVALID_PARAMETER', `Expected ${wanted} for Content-Type, got ${given ? `"${given}"` : 'none'}`, {
    parameter: 'Content-Type',
    value: given,
  });

async function readAll(request: FastifyRequest, payload: IncomingMessage): Promise<string> {
  const limit = request.routeOptions.config.bodyLimit ?? BODY_LIMIT;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of payload as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (size > DRAIN_LIMIT) break;
    }
  } catch {
    throw cancelled();
  }
  if (size > limit) throw tooLarge(limit, size > DRAIN_LIMIT);
  return Buffer.concat(chunks).toString('utf8');
}

/** How what is wrong with a body is told in the family of the endpoint. */
const refusalOf = (request: FastifyRequest) => (message: string, details: string) =>
  familyOf(request.url) === 'auth' ? badRequestData(message) : invalid('body', message, { details });

function parseJson(text: string, request: FastifyRequest): unknown {
  const refuse = refusalOf(request);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse('The body is not well-formed JSON', (error as Error).message.slice(0, 200));
  }
  if (isDeeperThan(DEEPEST, value))
    throw refuse(`The body is nested more than ${DEEPEST} levels deep`, `at most ${DEEPEST} levels are taken`);
  return value;
}

/** Level by level, never recursively: what is too deep must not decide how deep our stack gets. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level: object[] = [value].filter((each) => typeof each === 'object' && each !== null);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= levels) return true;
    level = level.flatMap((each) =>
      Object.values(each).filter((child): child is object => typeof child === 'object' && child !== null),
    );
  }
  return false;
}
