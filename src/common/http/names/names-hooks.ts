import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { swapErrors, swapHint } from '../../../names/swap-errors.js';
import { readParameters, swapJsonText } from '../../../names/swap-json.js';
import { sliced } from '../../in-slices.js';
import { HINT_HEADER } from '../hints/hints.js';
import { isAtX } from '../urls/public-urls.js';
import { AnswerAtX } from './answer-at-x.js';

const ERRORS_FROM = 400;

/**
 * Reads requests with X's names, and writes their responses with these. PublicUrls has translated the path before. Install
 * it after the hooks that read bodies or replace responses, and before those that record what is sent.
 */
export function installNames(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (!isAtX(request.raw)) return done();
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

/** The operations of a large batch one by one, with pauses for other requests. */
async function readBody(request: FastifyRequest): Promise<void> {
  if (!request.hasJson) return;
  const { body } = request;
  if (!Array.isArray(body)) return void (request.body = readParameters(body));
  const nextSlice = sliced();
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
