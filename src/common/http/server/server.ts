import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Config, withoutSlash } from '../../../config/config.js';
import { compileSerializer } from '../answers/list-serializer.js';
import { BodyMemory } from '../bodies/body-memory.js';
import { sendError } from '../errors/error-response.js';
import { objectOf, pairsOf } from '../bodies/form-encoding.js';
import { Hints } from '../hints/hints.js';
import { knownRoutes, unmatchedRoute } from './known-routes.js';
import { PendingBodies } from '../bodies/pending-bodies.js';
import { PublicUrls } from '../urls/public-urls.js';
import { type ClientError, refuseTunnel, refuseConnection, sendBare } from './refuse-connection.js';
import type { Logger } from './request-hooks.js';

/** Keeps a request id of the client or load balancer that has this format. */
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$/;

/** Timeouts of clients and connections, and what Node leaves to this service. */
export const SERVER_OPTIONS = {
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 72_000,
  // A request without a Host is rejected by the hooks, in the service's error format.
  requireHostHeader: false,
} satisfies ServerOptions;

/** Gives Fastify a server that is already listening, which receives the request handler. */
export type ServerFactory = (handler: RequestListener) => Server;

interface ServerParts {
  /** Another server listens. */
  serverFactory?: ServerFactory;
  /** The path to route by, of a request and the path that PublicUrls found. */
  rewritePath?: (raw: IncomingMessage, path: string) => string;
}

/** Fastify configured for this service: routing by host and prefix, hardened, and with one writer of errors. */
export function adapterFor(
  config: Config,
  logger: Logger,
  { serverFactory, rewritePath = (_, path) => path }: ServerParts = {},
): FastifyAdapter {
  const { requestTimeout, keepAliveTimeout, ...http } = SERVER_OPTIONS;
  const publicUrls = new PublicUrls(config, warnOfIgnored(logger));
  const adapter = new MarqueeFastifyAdapter({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Nothing logs through a request's own logger; lines about a request contain its id.
    childLoggerFactory: () => logger,
    rewriteUrl: (raw: IncomingMessage) => rewritePath(raw, publicUrls.locate(raw)),
    trustProxy: (address: string) => publicUrls.trusts(address),
    genReqId: (raw: IncomingMessage) => {
      const given = raw.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    routerOptions: { maxParamLength: 20_000, querystringParser: (text: string) => objectOf(pairsOf(text)) },
    requestTimeout,
    keepAliveTimeout,
    ...(serverFactory ? { serverFactory } : { http }),
    // The body readers apply the actual limits; beyond this one the rest of a body is not read.
    bodyLimit: 1_000_000_000,
    clientErrorHandler: (error: ClientError, socket: Socket) => refuseConnection(error, socket, publicUrls),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => sendError(error, request, reply),
    skipMiddie: true,
    // During shutdown, requests on open connections are still answered; then the connections are closed.
    return503OnClosing: false,
  } as never);
  const fastify = adapter.getInstance<FastifyInstance>();
  // Fastify sends bytes as well; its type says text.
  fastify.setSerializerCompiler(({ schema }) => compileSerializer(schema as object) as (answer: unknown) => string);
  fastify.decorate('bodyMemory', new BodyMemory(config.bodyMemory));
  fastify.decorate('pendingBodies', new PendingBodies(config.pendingBodies));
  fastify.decorate('problemTypes', `${withoutSlash(config.baseUrl)}/2/problems/`);
  fastify.decorate('hints', config.production ? undefined : new Hints(config, adapter.routes));
  fastify.server
    // Otherwise Node would answer it without a body; the first hook does instead.
    .on('checkExpectation', (request, response) => void fastify.server.emit('request', request, response))
    .on('connect', (_request, socket: Socket) => sendBare(socket, refuseTunnel()));
  return adapter;
}

/** Warns once per peer: such a header would change the URLs of signatures and the addresses of limits. */
const warnOfIgnored = (logger: Logger) => (address: string, header: string) =>
  logger.warn(
    { peer: address },
    `${header} from ${address} is ignored because TRUST_PROXY does not contain that address. If it is your load balancer, add it: TRUST_PROXY=${address}`,
  );

class MarqueeFastifyAdapter extends FastifyAdapter {
  /** Collects from the first route on: the handler for unknown routes is set after the last one. */
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

  // installBodyParsers reads bodies.
  override registerParserMiddleware() {}
}

/** Every route of the application, as `METHOD /path/:parameter`; HEAD is included in GET. */
export const routesOf = (app: NestFastifyApplication): string[] => [
  ...new Set(
    (app.getHttpAdapter() as MarqueeFastifyAdapter).routes
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url }) => `${method} ${url}`),
  ),
];
