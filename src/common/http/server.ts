import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { BaseLogger } from 'pino';
import { type Config, withoutSlash } from '../../config.js';
import { methodNotAllowed, pageNotFound, routeNotFound, sslRequired, unavailable } from '../errors/catalogue.js';
import { ApiError, repeatable } from '../errors/api-error.js';
import type { Metrics } from '../metrics/metrics.js';
import { routePattern } from '../patterns.js';
import { isTracing } from '../tracing/tracing.js';
import { sendError } from './error-response.js';
import { HINT_HEADER, Hints } from './hints.js';
import { BodyMemory } from './body-memory.js';
import { installBodyParsers } from './body-parsers.js';
import { clientNetworkOf } from './client-network.js';
import { type ConnectionLimits, limitConnections } from './connection-limits.js';
import { objectOf, pairsOf } from './form-encoding.js';
import { shown } from './refusals.js';
import { ignoredIn, nearlyKnownIn } from './params.js';
import { installPathIds } from './path-ids.js';
import { hasBody, PendingBodies, tooManyPending } from './pending-bodies.js';
import { originOf, familyOf, PublicUrls } from './public-urls.js';
import { type ClientError, lingerAtEnd, noTunnel, refuseConnection, sendBare } from './refuse-connection.js';
import type { Sender } from './refused.js';
import { installTracing } from './tracing-hooks.js';

export type Logger = BaseLogger;

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether it is counted among those that are being answered; undefined while its body is on its way. */
    isUnderway?: boolean;
  }
}

/** A request id that a client or balancer chose is kept when it looks like one. */
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$/;

const LARGE_TEXT = 16_384;

/** What balancers and monitors ask. */
const WATCHED = /^\/(health\/|metrics|version)/;

/** A path with NUL in it: no store keeps such a text, so nothing can be called so. */
const UNNAMEABLE = /^[^?]*%00/;

/** How long a client may take, how long a connection is kept, and what Node leaves to us. */
export const SERVER_OPTIONS = {
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 72_000,
  // A request without a Host is refused where all others are, in their form.
  requireHostHeader: false,
} satisfies ServerOptions;

/** Gives Fastify a server that somebody else listens with, and is given the handler for it. */
export type ServerFactory = (handler: RequestListener) => Server;

/** Fastify as this service needs it: told apart by host and prefix, hardened, and with one writer of errors. */
export function adapterFor(config: Config, logger: Logger, serverFactory?: ServerFactory): FastifyAdapter {
  const { requestTimeout, keepAliveTimeout, ...http } = SERVER_OPTIONS;
  const publicUrls = new PublicUrls(config, warnOfIgnored(logger));
  const adapter = new MarqueeFastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Nobody writes through a request's own logger; the lines that concern one name it.
    childLoggerFactory: () => logger,
    rewriteUrl: (raw: IncomingMessage) => publicUrls.locate(raw),
    trustProxy: (address: string) => publicUrls.trusts(address),
    genReqId: (raw: IncomingMessage) => {
      const given = raw.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    routerOptions: { maxParamLength: 20_000, querystringParser: (text: string) => objectOf(pairsOf(text)) },
    requestTimeout,
    keepAliveTimeout,
    ...(serverFactory ? { serverFactory } : { http }),
    // Bodies are bounded where they are read; this is the point beyond which nobody waits for the rest.
    bodyLimit: 1_000_000_000,
    clientErrorHandler: (error: ClientError, socket: Socket) => refuseConnection(error, socket, publicUrls),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => sendError(error, request, reply),
    skipMiddie: true,
    // While we stop, what still arrives on open connections is answered; they are closed after it.
    return503OnClosing: false,
  } as never);
  const fastify = adapter.getInstance<FastifyInstance>();
  fastify.decorate('bodyMemory', new BodyMemory(config.bodyMemory));
  fastify.decorate('pendingBodies', new PendingBodies(config.pendingBodies));
  fastify.decorate('problemTypes', `${withoutSlash(config.baseUrl)}/2/problems/`);
  fastify.decorate('hints', config.production ? undefined : new Hints(config, adapter.routes));
  fastify.server
    // Node would answer it itself, without a word; the first of our hooks does.
    .on('checkExpectation', (request, response) => void fastify.server.emit('request', request, response))
    .on('connect', (_request, socket: Socket) => sendBare(socket, noTunnel()));
  return adapter;
}

/** Told once per peer: signatures are checked against URLs, limits counted by addresses, that such a header would change. */
const warnOfIgnored = (logger: Logger) => (address: string, header: string) =>
  logger.warn(
    { peer: address },
    `${header} of ${address} is ignored, as TRUST_PROXY does not name that peer. Where it is your load balancer, add it: TRUST_PROXY=${address}`,
  );

class MarqueeFastifyAdapter extends FastifyAdapter {
  /** From the first route on: the handler of what is not found is set after the last one. */
  readonly routes = knownRoutes(this.getInstance<FastifyInstance>());

  override setErrorHandler() {
    return this.getInstance<FastifyInstance>().setErrorHandler((error, request, reply) =>
      sendError(error, request, reply),
    ) as never;
  }

  override setNotFoundHandler() {
    return this.getInstance<FastifyInstance>().setNotFoundHandler((request, reply) =>
      sendError(unmatchedRoute(request, this.routes), request, reply),
    ) as never;
  }

  // Bodies are read by readBodies.
  override registerParserMiddleware() {}
}

interface KnownRoute {
  method: string;
  url: string;
  pattern: RegExp;
}

/** Every route that the application answers, as `METHOD /path/:parameter`; HEAD goes with GET and is not told apart. */
export const routesOf = (app: NestFastifyApplication): string[] => [
  ...new Set(
    (app.getHttpAdapter() as MarqueeFastifyAdapter).routes
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url }) => `${method} ${url}`),
  ),
];

/** Every route as it is registered, so that a wrong method can be told from a wrong path. */
function knownRoutes(fastify: FastifyInstance): KnownRoute[] {
  const routes: KnownRoute[] = [];
  fastify.addHook('onRoute', ({ method, url }) => {
    const pattern = routePattern(url);
    for (const each of [method].flat()) routes.push({ method: each, url, pattern });
  });
  return routes;
}

/** The methods of a path; one that is spelled out, such as `webhooks/replay`, is not one with an id in its place. */
function methodsOf(path: string, routes: KnownRoute[]): string[] {
  const matching = routes.filter(({ pattern }) => pattern.test(path));
  const parametersOf = ({ url }: KnownRoute) => url.split('/:').length;
  const fewest = Math.min(...matching.map(parametersOf));
  return [...new Set(matching.filter((each) => parametersOf(each) === fewest).map(({ method }) => method))];
}

function unmatchedRoute(request: FastifyRequest, routes: KnownRoute[]): ApiError {
  const path = request.url.split('?', 1)[0];
  const ads = familyOf(path) === 'ads';
  const allowed = methodsOf(path, routes);
  if (allowed.length === 0 || originOf(request.raw).misdirected) return nothingHere(request);
  const hint = () => request.server.hints?.forMethod(request);
  if (ads) return methodNotAllowed(request.method, allowed).hinted(hint);
  return new ApiError(
    405,
    34,
    'Sorry, that page does not exist',
    { details: `allowed here: ${allowed.join(', ')}` },
    { allow: allowed.join(', ') },
  ).hinted(hint);
}

/** The 404 for a path that is nobody's, in the form of its family. */
function nothingHere(request: FastifyRequest): ApiError {
  const error = familyOf(request.url) === 'ads' ? routeNotFound() : pageNotFound();
  return error.hinted(() => request.server.hints?.forUnrouted(request));
}

/** What Node takes as a wish to hear whether a body may follow. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** RFC 9112, 3.2: HTTP/1.1 names its host. RFC 9110, 10.1.1: what is expected and not known is refused. */
function faultOfHead({ headers, httpVersion }: IncomingMessage): ApiError | undefined {
  if (headers.host === undefined && httpVersion === '1.1')
    return new ApiError(400, 'MISSING_PARAMETER', 'Every request needs a Host header', { parameter: 'Host' });
  const { expect } = headers;
  if (expect === undefined || CONTINUE.test(expect)) return undefined;
  return new ApiError(417, 'INVALID_PARAMETER', `Expected 100-continue for Expect, got ${shown(expect)}`, {
    parameter: 'Expect',
    value: repeatable(expect),
  });
}

/** The hooks that every request passes: bodies, refusals by origin, headers, one log line, figures. */
export function installHooks(
  fastify: FastifyInstance,
  {
    metrics,
    stopping,
    logger,
    mostUnderway = Infinity,
    connections,
    senderOf = () => ({}),
    uploaderOf = () => undefined,
  }: {
    metrics: Metrics;
    stopping: () => boolean;
    logger: Logger;
    mostUnderway?: number;
    /** How many connections there may be; without limits where it is left out. */
    connections?: Omit<ConnectionLimits, 'onRefused'>;
    /** Who a refused request is from. */
    senderOf?: (request: FastifyRequest) => Sender;
    /** The id of the user whose upload a request is. */
    uploaderOf?: (request: FastifyRequest) => string | undefined;
  },
): void {
  const countRefusal = metrics.counter('refusals_total', 'Requests that were refused, by why', ['status', 'reason']);
  const countLimited = metrics.counter('rate_limited_total', 'Requests beyond a rate limit, by its window', ['window']);
  if (isTracing()) installTracing(fastify);
  fastify.decorate('uploaderOf', uploaderOf);
  const { pendingBodies } = fastify;
  installPathIds(fastify);
  metrics.gauge('http_body_bytes', 'Bytes of request bodies that are held now', () => fastify.bodyMemory.held);
  metrics.gauge('http_bodies_pending', 'Request bodies that are on their way now', () => pendingBodies.size);
  const countRefusedConnection = metrics.counter(
    'connections_refused_total',
    'Connections that were closed at once because there were too many, by which limit',
    ['reason'],
  );
  if (connections)
    limitConnections(fastify.server, { ...connections, onRefused: (reason) => countRefusedConnection({ reason }) });

  // A request is underway from when its body has arrived: before that it costs little more than its connection.
  const begin = (request: FastifyRequest) => {
    if (request.isUnderway !== undefined) return;
    request.isUnderway = true;
    metrics.began();
  };
  const finish = (request: FastifyRequest) => {
    if (request.isUnderway) metrics.ended();
    request.isUnderway = false;
  };
  /** Whoever watches us is answered all the same. */
  const isTooMuch = (request: FastifyRequest) =>
    metrics.underway - (request.isUnderway ? 1 : 0) >= mostUnderway && !WATCHED.test(request.url);

  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (hasBody(request.raw)) {
      const pending = pendingBodies.add(request.raw, request.url, clientNetworkOf(request.ip), () => begin(request));
      if (typeof pending === 'string') {
        reply.header('connection', 'close');
        return done(tooManyPending(pending, request.url));
      }
      request.pendingBody = pending;
    } else begin(request);
    // Whoever wants the connection closed is told that it will be, and while we stop everybody is.
    if (stopping() || /\bclose\b/i.test(request.headers.connection ?? '')) reply.header('connection', 'close');
    const { insecure, insecureBecause, misdirected } = originOf(request.raw);
    const fault = faultOfHead(request.raw);
    if (fault) return done(fault);
    // nothing has been done for it yet, so that refusing it costs little
    if (isTooMuch(request)) return done(unavailable(familyOf(request.url) === 'ads'));
    if (insecure) return done(sslRequired(insecureBecause));
    if (misdirected || UNNAMEABLE.test(request.url)) return done(nothingHere(request));
    done();
  });
  // after the hook before: whatever refuses a request, its body is known to be on its way
  installBodyParsers(fastify);
  // There may be too many by the time at which its body has arrived.
  fastify.addHook('preValidation', (request, _reply, done) => {
    done(request.pendingBody && isTooMuch(request) ? unavailable(familyOf(request.url) === 'ads') : undefined);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (request.pendingBody?.isGivenUp) reply.header('connection', 'close');
    if (!request.raw.complete && reply.getHeader('connection') === 'close') lingerAtEnd(request.raw.socket);
    reply.header('x-response-time', Math.round(reply.elapsedTime));
    reply.header('x-content-type-options', 'nosniff');
    const version = /^\/(5|12)\//.exec(request.url)?.[1];
    if (version) reply.header('x-current-api-version', '12');
    if (version === '5') {
      reply.header(
        'x-api-warn',
        '[api-v5] This version is deprecated, use /12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions',
      );
    }
    // Node would copy a large text twice more on its way to the socket.
    done(null, typeof payload === 'string' && payload.length > LARGE_TEXT ? Buffer.from(payload) : payload);
  });
  if (fastify.hints) {
    fastify.addHook('onSend', (request, reply, payload, done) => {
      const { query, body } = request;
      const hints = [nearlyKnownIn(query) ?? nearlyKnownIn(body), ignoredIn(query)].filter(
        (hint) => hint !== undefined,
      );
      if (hints.length > 0) reply.header(HINT_HEADER, hints.join(' '));
      done(null, payload);
    });
  }
  fastify.addHook('onResponse', (request, reply, done) => {
    const ms = reply.elapsedTime;
    const route = request.routeOptions.url ?? 'none';
    finish(request);
    request.pendingBody?.answered();
    metrics.answered(request.method, route, reply.statusCode, ms);
    if (request.refused) {
      const { reason, window } = request.refused;
      countRefusal({ status: `${reply.statusCode}`, reason });
      if (window !== undefined) countLimited({ window });
    }
    // The route and not the target: a query can carry tokens.
    logger.info(
      {
        id: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(ms * 10) / 10,
        account: request.echoesPath ? accountOf(request) : undefined,
        ip: request.ip,
        ...(request.refused && { ...request.refused, ...senderOf(request) }),
      },
      'request',
    );
    done();
  });
  // A request whose client went away is answered to nobody, but it is over.
  fastify.addHook('onRequestAbort', (request, done) => {
    finish(request);
    done();
  });
}

const accountOf = (request: FastifyRequest) => (request.params as { account_id?: string } | null)?.account_id;
