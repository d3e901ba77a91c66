import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../common/errors/catalogue.js';
import type { FieldReader } from '../common/http/bodies/multipart.js';
import { HINT_HEADER } from '../common/http/hints/hints.js';
import { useSynonyms } from '../common/http/hints/synonyms.js';
import { quotedValue } from '../common/http/params/refusals.js';
import { familyOf } from '../common/http/urls/public-urls.js';
import { nextSlice } from '../common/concurrency/in-slices.js';
import { VOCABULARIES } from '../config/config.js';
import { AnswerAtX, compileInBothVocabularies } from './answer-at-x.js';
import { swapErrors, swapHint } from './swap-errors.js';
import { readName, readParameters, swapJsonText } from './swap-json.js';
import { swapPath, swapText } from './swap.js';
import { SYNONYMS_OF_X } from './synonyms.js';
import { chosenVocabulary, NAMES_HEADER, type Vocabulary } from './vocabulary.js';

const ERRORS_FROM = 400;

/** Endpoints that X has nothing like: they have the names of this service. */
const OWN = /^\/(workbench|mcp)([/?]|$)/;

/** Stored on the request itself: a WeakMap with an entry per request would burden garbage collection. */
const AT_X = Symbol('names of X');
type WithVocabulary = IncomingMessage & { [AT_X]?: boolean };

/** Whether a request and its response have the names of X. */
export const isAtX = (raw: IncomingMessage): boolean => (raw as WithVocabulary)[AT_X] === true;

/** Chooses the vocabulary of each request. Returns its path with our names. */
export const pathsWithOurNames =
  (byDefault: Vocabulary) =>
  (raw: IncomingMessage, path: string): string => {
    if (chosenVocabulary(raw.headers[NAMES_HEADER], byDefault) !== 'x') return path;
    const [pathname] = path.split('?', 1);
    if (familyOf(pathname) === undefined || OWN.test(pathname)) return path;
    (raw as WithVocabulary)[AT_X] = true;
    return swapPath(path);
  };

/** How the parts of a form with the names of X are read. */
const FIELD_READER: FieldReader = { name: readName, value: swapText };

/**
 * Reads requests with X's names, and writes their responses with these. `pathsWithOurNames` has translated the path before.
 * Install it after the hooks that read bodies or replace responses, and before those that record what is sent.
 */
export function installNames(fastify: FastifyInstance): void {
  useSynonyms(SYNONYMS_OF_X);
  // Fastify sends bytes as well; its type says text.
  fastify.setSerializerCompiler(
    ({ schema }) => compileInBothVocabularies(schema as object) as (answer: unknown) => string,
  );
  fastify.addHook('onRequest', ({ headers }, _reply, done) => {
    const names = headers[NAMES_HEADER];
    const isKnown = names === undefined || chosenVocabulary(names, 'marquee') !== undefined;
    done(isKnown ? undefined : unknownVocabulary(names));
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (!isAtX(request.raw)) return done();
    request.fieldReader = FIELD_READER;
    request.query = readParameters(request.query);
    readBody(request).then(() => done(), done);
  });
  fastify.addHook('preSerialization', (request, reply, payload, done) =>
    done(null, isAtX(request.raw) && reply.statusCode < ERRORS_FROM ? new AnswerAtX(payload) : payload),
  );
  fastify.addHook('onSend', (request, reply, payload, done: (error: Error | null, payload?: unknown) => void) =>
    done(null, isAtX(request.raw) ? written(reply, payload) : payload),
  );
}

const unknownVocabulary = (names: unknown) =>
  invalid(NAMES_HEADER, `Expected ${VOCABULARIES.join(' or ')} for ${NAMES_HEADER}, got ${quotedValue(names)}`, {
    value: names,
  });

/** The operations of a large batch one by one, with pauses for other requests. */
async function readBody(request: FastifyRequest): Promise<void> {
  if (!request.hasJson) return;
  const { body } = request;
  if (!Array.isArray(body)) return void (request.body = readParameters(body));
  for (let i = 0; i < body.length; i++) {
    await nextSlice();
    body[i] = readParameters(body[i]);
  }
}

function written(reply: FastifyReply, payload: unknown): unknown {
  const hint = reply.getHeader(HINT_HEADER);
  if (typeof hint === 'string') reply.header(HINT_HEADER, swapHint(hint));
  const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
  if (!isJson || (typeof payload !== 'string' && !Buffer.isBuffer(payload))) return payload;
  if (reply.statusCode >= ERRORS_FROM) return JSON.stringify(swapErrors(JSON.parse(payload.toString()) as object));
  return reply.hasHeader('idempotent-replayed') ? swapJsonText(payload.toString()) : payload;
}
