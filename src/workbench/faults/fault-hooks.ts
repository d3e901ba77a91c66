import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiErrors } from '../../common/errors/api-error.js';
import { prepareError } from '../../common/http/errors/error-response.js';
import { FAULT_HEADER, type InjectedFault, injectedError } from './injected-fault.js';
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import type { ConnectionFault } from './fault.entity.js';

type HookDone = (error: Error | null, payload?: unknown) => void;

/** Carries out faults when the response is about to be sent. Install it before the hooks that record responses. */
export function installFaults(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done: HookDone) => {
    const { fault } = request;
    if (!fault || reply.getHeader(FAULT_HEADER) !== undefined) return done(null, payload);
    reply.header(FAULT_HEADER, fault.id);
    if (fault.applied === 'BEFORE_COMMIT' || fault.latencyMs === 0)
      return finish(fault, { request, reply, payload, done });
    request.server.requestLoad.delay(request, fault.latencyMs).then(
      () => finish(fault, { request, reply, payload, done }),
      // a response that cannot be delayed is not sent late, but at once
      () => finish(fault, { request, reply, payload, done }),
    );
  });
}

interface Sending {
  request: FastifyRequest;
  reply: FastifyReply;
  payload: unknown;
  done: HookDone;
}

/** Sends the response, another one, or none. */
function finish({ connection, error, applied }: InjectedFault, { request, reply, payload, done }: Sending): void {
  if (connection) {
    discard(payload);
    // without a call of `done` Fastify sends nothing
    return breakConnection(reply, connection);
  }
  if (!error || applied === 'BEFORE_COMMIT') return done(null, payload);
  discard(payload);
  reply.removeHeader('content-length');
  done(null, prepareError(new ApiErrors([injectedError(request.url, error)]), request, reply));
}

function discard(payload: unknown): void {
  if (payload instanceof Readable) payload.destroy();
}

/** The body of a malformed response: neither the length of a chunk nor a chunk. */
const GARBAGE = 'no chunk begins like this\r\n';
const RANDOM_BYTES = 512;

/** Each fault with the meaning that it has in WireMock. */
const FAULTS: Record<ConnectionFault, (socket: Socket, reply: FastifyReply) => void> = {
  EMPTY_RESPONSE: (socket) => socket.destroySoon(),
  MALFORMED_RESPONSE_CHUNK: (socket, reply) => {
    // those of the response that is replaced
    const { 'content-length': _, 'retry-after': __, ...headers } = reply.getHeaders();
    const { statusCode } = reply;
    reply.raw.writeHead(200, { ...headers, 'transfer-encoding': 'chunked' } as Record<string, string>);
    reply.raw.flushHeaders();
    // the log and the journal show how the request ended
    reply.raw.statusCode = statusCode;
    socket.write(GARBAGE);
    socket.destroySoon();
  },
  RANDOM_DATA_THEN_CLOSE: (socket) => {
    // the first byte is no letter, so that it never looks like a status line
    socket.write(Buffer.concat([Buffer.of(0), randomBytes(RANDOM_BYTES)]));
    socket.destroySoon();
  },
  CONNECTION_RESET_BY_PEER: (socket) => socket.resetAndDestroy(),
};

/** Carries out a fault on the connection of a request, instead of a response. */
function breakConnection(reply: FastifyReply, fault: ConnectionFault): void {
  const { socket } = reply.request.raw;
  if (!(socket instanceof Socket)) return endInProcess(reply);
  // the client has disconnected, or waits for the response to an earlier request
  if (socket.destroyed || reply.raw.socket !== socket) return void socket.destroy();
  FAULTS[fault](socket, reply);
  // for Node and for the hooks of answered requests, which log and count it, the request has ended
  reply.raw.emit('finish');
}

/** A request that this process sent to itself has no connection: it ends without a response. */
function endInProcess(reply: FastifyReply): void {
  reply.raw.emit('close');
  reply.raw.emit('finish');
}
