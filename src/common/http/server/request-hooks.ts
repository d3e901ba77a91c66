import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { BaseLogger } from 'pino';
import { ApiError, truncatedValue } from '../../errors/api-error.js';
import { sslRequired, unavailable } from '../../errors/catalogue.js';
import type { Metrics } from '../../metrics/metrics.js';
import { isTracing } from '../../tracing/tracing.js';
import { installBodyParsers } from '../bodies/body-parsers.js';
import { clientNetworkOf, limitConnections, type ConnectionLimits } from './connection-limits.js';
import { HINT_HEADER } from '../hints/hints.js';
import { quotedValue } from '../params/refusals.js';
import { routeNotFoundError } from './known-routes.js';
import {
  ignoredHint,
  unknownNamesHint,
  unknownNamesHintOfBatch,
  unreadNamesHint,
  zonelessTimesHint,
} from '../params/params.js';
import { isBodyPending, tooManyPending } from '../bodies/pending-bodies.js';
import { familyOf, originOf } from '../urls/public-urls.js';
import { lingerOnClose } from './refuse-connection.js';
import { RequestLoad } from './request-load.js';
import type { Sender } from '../errors/refused.js';
import { installTracing } from './tracing-hooks.js';
import { isPlaceholder } from '../../errors/placeholder.js';

export type Logger = BaseLogger;

const LARGE_TEXT = 16_384;

/** A path with a control character, such as NUL or a line break: no id and no name of a resource contains one. */
const UNNAMEABLE = /^[^?]*%(?:[01][\da-f]|7f)/i;

/** What Node treats as `Expect: 100-continue`. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * The error of a request without the Host that HTTP/1.1 requires (RFC 9112, 3.2), or with an expectation other than
 * `100-continue` (RFC 9110, 10.1.1).
 */
function faultOfHead({ headers, httpVersion }: IncomingMessage): ApiError | undefined {
  if (headers.host === undefined && httpVersion === '1.1')
    return new ApiError(400, 'MISSING_PARAMETER', 'Every request needs a Host header', { parameter: 'Host' });
  const { expect } = headers;
  if (expect === undefined || CONTINUE.test(expect)) return undefined;
  return new ApiError(417, 'INVALID_PARAMETER', `Expected 100-continue for Expect, got ${quotedValue(expect)}`, {
    parameter: 'Expect',
    value: truncatedValue(expect),
  });
}

export interface HookOptions {
  metrics: Metrics;
  stopping: () => boolean;
  logger: Logger;
  /** Maximum number of concurrent requests. */
  mostUnderway?: number;
  /** Limits of connections; unlimited when absent. */
  connections?: Omit<ConnectionLimits, 'onRefused'>;
  /** The sender of a rejected request. */
  senderOf?: (request: FastifyRequest) => Sender;
  /** Called before a request is answered; the answer waits for the result, if there is one. */
  beforeAnswer?: (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;
  /** The id of the user who uploads. */
  uploaderOf?: (request: FastifyRequest) => string | undefined;
  /** The time zone of the account of a request, if it has one. */
  timezoneOf?: (request: FastifyRequest) => string | undefined;
}

/** The hooks of every request: bodies, rejections by origin, headers, one log line, metrics. */
export function installHooks(fastify: FastifyInstance, options: HookOptions): void {
  const { metrics, stopping, connections, mostUnderway = Infinity, uploaderOf = () => undefined } = options;
  const load = new RequestLoad(metrics, mostUnderway, stopping);
  fastify.decorate('requestLoad', load);
  if (isTracing()) installTracing(fastify);
  fastify.decorate('uploaderOf', uploaderOf);
  installPathIds(fastify);
  metrics.gauge('http_body_bytes', 'Bytes of request bodies in memory', () => fastify.bodyMemory.held);
  metrics.gauge('http_bodies_pending', 'Request bodies that are arriving', () => fastify.pendingBodies.size);
  const countRefusedConnection = metrics.counter(
    'connections_refused_total',
    'Connections that were closed at once because there were too many, by limit',
    ['reason'],
  );
  if (connections)
    limitConnections(fastify.server, { ...connections, onRefused: (reason) => countRefusedConnection({ reason }) });
  const countStalled = metrics.counter(
    'responses_stalled_total',
    'Connections that were closed because their client took no byte of a response for 10 seconds',
  );
  fastify.addHook('onRequest', (request, reply, done) => {
    endWhenStalled(reply.raw, countStalled);
    done(admissionFault(request, reply, load, stopping));
  });
  // after the previous hook: the arriving body is registered before anything rejects the request
  installBodyParsers(fastify);
  // The limit may be reached by the time the body has arrived.
  fastify.addHook('preValidation', (request, _reply, done) => {
    done(request.pendingBody && load.isFull(request) ? tooBusy(request) : undefined);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    setHeaders(request, reply);
    // Node would copy a large text twice more on its way to the socket.
    done(null, typeof payload === 'string' && payload.length > LARGE_TEXT ? Buffer.from(payload) : payload);
  });
  installHintHeader(fastify, options);
  const { beforeAnswer } = options;
  if (beforeAnswer) {
    fastify.addHook('onSend', (request, reply, payload, done) => {
      const waiting = beforeAnswer(request, reply);
      if (!waiting) return done(null, payload);
      waiting.then(
        () => done(null, payload),
        (error: Error) => done(error),
      );
    });
  }
  recordAnswers(fastify, load, options);
  // What began before the server closed has kept its connection, which would hold the process up.
  fastify.addHook('onResponse', ({ raw }, _reply, done) => {
    const { server } = raw.socket as { server?: Server };
    if (server?.listening === false) setImmediate(() => server.closeIdleConnections());
    done();
  });
  // A request whose client disconnected gets no response, but it ends.
  fastify.addHook('onRequestAbort', (request, done) => {
    load.finish(request);
    done();
  });
}

/** Sentences about the parameters of requests, in a header. */
function installHintHeader(fastify: FastifyInstance, { timezoneOf = () => undefined }: HookOptions): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { query, body, server, routeOptions, formPairs } = request;
    const hints = [
      // also in production: a script that lists by a filter that does not exist may delete everything
      unknownNamesHint(query) ?? unknownNamesHint(body) ?? unknownNamesHintOfBatch(body),
      // a form, which is refused, is merged into the query
      routeOptions.config.takesJsonOnly && !formPairs ? unreadNamesHint(query) : undefined,
      ignoredHint(query),
      server.hints && (zonelessTimesHint(query, timezoneOf(request)) ?? zonelessTimesHint(body)),
    ].filter((hint) => hint !== undefined);
    if (hints.length > 0) reply.header(HINT_HEADER, hints.join(' '));
    done(null, payload);
  });
}

const tooBusy = ({ url }: FastifyRequest) => unavailable(familyOf(url) === 'ads').because('too-many-requests');

/** Registers the body of a request. Returns the error of a request that is rejected before any work is done. */
function admissionFault(
  request: FastifyRequest,
  reply: FastifyReply,
  load: RequestLoad,
  stopping: () => boolean,
): ApiError | undefined {
  const { raw, url } = request;
  reply.header('x-request-id', request.id);
  if (isBodyPending(raw)) {
    const onArrived = () => load.begin(request);
    const pending = request.server.pendingBodies.add(raw, url, clientNetworkOf(request.ip), onArrived);
    if (typeof pending === 'string') {
      reply.header('connection', 'close');
      return tooManyPending(pending, url);
    }
    request.pendingBody = pending;
  } else load.begin(request);
  // A client that asks to close the connection gets the header; during shutdown every client does.
  if (stopping() || /\bclose\b/i.test(request.headers.connection ?? '')) reply.header('connection', 'close');
  const { insecure, insecureBecause, misdirected } = originOf(raw);
  const fault = faultOfHead(raw);
  if (fault) return fault;
  // no work is done yet, so that the rejection is cheap
  if (load.isFull(request)) return tooBusy(request);
  if (insecure) return sslRequired(insecureBecause);
  return misdirected || UNNAMEABLE.test(url) ? routeNotFoundError(request) : undefined;
}

function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (request.pendingBody?.isGivenUp) reply.header('connection', 'close');
  if (!request.raw.complete && reply.getHeader('connection') === 'close') lingerOnClose(request.raw.socket);
  reply.header('x-response-time', Math.round(reply.elapsedTime));
  reply.header('x-content-type-options', 'nosniff');
  const version = /^\/(5|12)\//.exec(request.url)?.[1];
  if (version) reply.header('x-current-api-version', '12');
  if (version === '5') {
    reply.header(
      'x-api-warn',
      '[api-v5] This version is deprecated, use /12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions',
    );
  } else if (originOf(request.raw).isVersion11) {
    reply.header('x-api-warn', '[api-v11] This version is deprecated and answered by version 12, use /12');
  }
}

/** Metrics and one log line for each response. */
function recordAnswers(
  fastify: FastifyInstance,
  load: RequestLoad,
  { metrics, logger, senderOf = () => ({}) }: HookOptions,
): void {
  const countRefusal = metrics.counter('refusals_total', 'Rejected requests, by reason', ['status', 'reason']);
  const countLimited = metrics.counter('rate_limited_total', 'Requests beyond a rate limit, by window', ['window']);
  fastify.addHook('onResponse', (request, reply, done) => {
    const ms = reply.elapsedTime;
    const route = request.routeOptions.url ?? 'none';
    load.finish(request);
    request.pendingBody?.answered();
    metrics.answered(request.method, route, reply.statusCode, ms);
    if (request.refused) {
      const { reason, window } = request.refused;
      countRefusal({ status: `${reply.statusCode}`, reason });
      if (window !== undefined) countLimited({ window });
    }
    // The route rather than the target: a query can contain tokens.
    logger.info(
      {
        id: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(ms * 10) / 10,
        account: request.echoesPath ? accountOf(request) : undefined,
        ip: request.ip,
        agent: shownAgent(request.headers['user-agent']),
        ...senderOf(request),
        ...request.firstError,
        ...request.refused,
      },
      'request',
    );
    done();
  });
}

const accountOf = (request: FastifyRequest) => (request.params as { account_id?: string } | null)?.account_id;

/** The longest beginning of a `user-agent` in the log. */
const MAX_AGENT_LENGTH = 200;
const shownAgents = new LRUCache<string, string>({ max: 1_000 });

/** A `user-agent` in printable characters, without what may be a secret. */
function shownAgent(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const known = shownAgents.get(given);
  if (known !== undefined) return known;
  const shown = given
    .slice(0, MAX_AGENT_LENGTH)
    .replace(/[^ -~]/g, '?')
    .replace(/[\w-]{20,}/g, '***');
  if (given.length <= MAX_AGENT_LENGTH) shownAgents.set(given, shown);
  return shown;
}

/** Maximum time in which a client takes no byte of a response. */
const STALL_MS = 10_000;

/**
 * Closes the connection when its socket has taken no byte for a while although there is something to send: its client reads
 * nothing, and the response would stay in memory. Node restarts the timer with each byte that the socket takes, so slow
 * downloads go on, and so does a response that is not ready yet.
 */
export function endWhenStalled(response: ServerResponse, onStalled: () => void, stallMs = STALL_MS): void {
  response.setTimeout(stallMs, () => {
    const { socket } = response;
    if (!socket?.writableLength) return;
    onStalled();
    socket.destroy();
  });
}

const CAPITALS = /[A-Z]/;

/**
 * Converts ids in paths of advertising endpoints to lower case, as in parameters, before any guard reads them. What is no id, such
 * as `None`, stays as it was sent, for the error that names it.
 */
function installPathIds(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    const params = request.params as Record<string, string> | null;
    for (const name in params) {
      const id = params[name];
      if (name.endsWith('_id') && CAPITALS.test(id) && familyOf(request.url) === 'ads' && !isPlaceholder(id))
        params[name] = id.toLowerCase();
    }
    done();
  });
}
