import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Config, withoutSlash } from '../../../config.js';
import { BodyMemory } from '../bodies/body-memory.js';
import { sendError } from '../errors/error-response.js';
import { objectOf, pairsOf } from '../bodies/form-encoding.js';
import { Hints } from '../hints/hints.js';
import { knownRoutes, unmatchedRoute } from './known-routes.js';
import { PendingBodies } from '../bodies/pending-bodies.js';
import { PublicUrls } from '../urls/public-urls.js';
import { type ClientError, noTunnel, refuseConnection, sendBare } from './refuse-connection.js';
import type { Logger } from './request-hooks.js';

/** A request id that a client or balancer chose is kept when it looks like one. */
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$/;

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

  // Bodies are read by installBodyParsers.
  override registerParserMiddleware() {}
}

/** Every route that the application answers, as `METHOD /path/:parameter`; HEAD goes with GET and is not told apart. */
export const routesOf = (app: NestFastifyApplication): string[] => [
  ...new Set(
    (app.getHttpAdapter() as MarqueeFastifyAdapter).routes
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url }) => `${method} ${url}`),
  ),
];
