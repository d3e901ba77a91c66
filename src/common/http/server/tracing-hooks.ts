import type { Span } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { beginSpan, traceContextOf, markFailed, withinSpan } from '../../tracing/tracing.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of this request, when spans are recorded. */
    span?: Span;
  }
}

/** Creates a span for each request, as the context of all its work; it continues the trace of the sender. */
export function installTracing(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions, protocol } = request;
    const route = routeOptions.url;
    // The route rather than the target: a query can contain tokens, a path the key of a page.
    const attributes = {
      'http.request.method': method,
      'url.scheme': protocol,
      ...(route !== undefined && { 'http.route': route }),
      'marquee.request.id': request.id,
    };
    const name = route === undefined ? method : `${method} ${route}`;
    request.span = beginSpan({ name, kind: 'SERVER', attributes }, traceContextOf(headers));
    done();
  });
  // After the body was read: all further work runs from this callback.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (request.span) withinSpan(request.span, done);
    else done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { span, refused } = request;
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (refused) span?.setAttribute('marquee.refused', refused.reason);
    if (span && reply.statusCode >= 500) markFailed(span, { code: reply.statusCode });
    span?.end();
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    request.span?.setAttribute('error.type', 'aborted');
    request.span?.end();
    done();
  });
}
