import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiErrors } from '../../common/errors/api-error.js';
import { prepareError } from '../../common/http/errors/error-response.js';
import { breakConnection } from './break-connection.js';
import { FAULT_HEADER, type InjectedFault } from './injected-fault.js';
import { injectedError } from './injected-error.js';

type Done = (error: Error | null, payload?: unknown) => void;

/** Carries out faults when the response is about to be sent. Install it before the hooks that record responses. */
export function installFaults(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done: Done) => {
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
  done: Done;
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
