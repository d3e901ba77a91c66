import type { FastifyInstance } from 'fastify';
import { isRead } from '../../auth/guards/endpoint-policy.js';
import { capturedAnswer } from './captured-request.js';
import type { Journal } from './journal.js';

/** Requests to the workbench itself would push out those that it is there to show. Those of MCP tools are requests too. */
const OWN = /^\/(workbench|mcp)([/?]|$)/;

/** Has the journal capture each answered request of an application. Install it after the other hooks. */
export function installJournal(fastify: FastifyInstance, journal: Journal): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (!isRead(request)) request.changeIds = [];
    done();
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    request.answer = capturedAnswer(payload);
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    if (!OWN.test(request.url)) journal.capture(request, reply);
    done();
  });
}
