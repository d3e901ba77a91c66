import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { unavailable } from './common/errors/catalogue.js';
import { CONNECTION_ELSEWHERE } from './common/http/server/connection-limits.js';
import { bareErrorText } from './common/http/errors/error-response.js';
import { familyOf, PublicUrls } from './common/http/urls/public-urls.js';
import { SERVER_OPTIONS, type ServerFactory } from './common/http/server/server.js';
import { type Config } from './config/config.js';
import { StartFailure } from './common/start-failure.js';

/**
 * The address of the service. On an embedded store it is bound before anything is opened or written: a start that finds
 * it in use has changed nothing, and no other process can take it meanwhile. Until the application is ready, requests
 * get 503. On a server a start writes nothing, and the address stays closed for load balancers until the application is
 * ready.
 */
export class Listener {
  private application?: RequestListener;

  private constructor(
    private readonly config: Config,
    private readonly addresses: string[],
    /** The first one also has the application's other listeners; the others forward to it. */
    private readonly servers: [Server, ...Server[]],
    private readonly early: RequestListener,
  ) {}

  /** Binds all addresses of a name, so that no other process answers under it. */
  static async prepare(config: Config): Promise<Listener> {
    const early = answerEarly(new PublicUrls(config));
    const addresses = await addressesOf(config.host);
    const servers = addresses.map(() => serverFor(early)) as [Server, ...Server[]];
    const listener = new Listener(config, addresses, servers, early);
    if (!config.databaseUrl) await listener.listen();
    return listener;
  }

  private async listen(): Promise<void> {
    try {
      for (const [i, server] of this.servers.entries()) {
        server.listen(this.config.port, this.addresses[i]);
        await once(server, 'listening');
      }
    } catch (error) {
      for (const server of this.servers) server.close();
      const { code, syscall } = error as NodeJS.ErrnoException;
      if (syscall === 'getaddrinfo') throw nameless(this.config.host);
      if (code !== 'EADDRINUSE') throw error;
      throw Object.assign(error as Error, { freePort: await freePortAfter(this.config.port, this.addresses) });
    }
  }

  /** Gives Fastify the server that already listens, and takes its request handler. */
  readonly serverFactory: ServerFactory = (handler) => {
    this.application = handler;
    return this.servers[0];
  };

  /** Lets the application answer from now on. */
  async open(): Promise<void> {
    const [main, ...others] = this.servers;
    for (const server of this.servers) {
      server.off('request', this.early);
      server.on('request', this.application!);
    }
    for (const event of ['clientError', 'checkExpectation', 'connect']) {
      for (const server of others) server.on(event, (...what: unknown[]) => void main.emit(event, ...what));
    }
    for (const server of others) server.on('connection', (socket) => void main.emit(CONNECTION_ELSEWHERE, socket));
    if (this.config.databaseUrl) await this.listen();
  }

  /** Stops accepting connections and resolves after the last response. */
  async close(): Promise<void> {
    await quietMoment();
    await Promise.all(this.servers.map(stopListening));
  }
}

/** An event loop turn this short has accepted all pending connections. */
const QUIET_MS = 0.2;
/** Maximum number of turns, since under load none may be short. */
const MAX_TURNS = 2_000;

/**
 * Resolves right after an almost idle turn: closing a server resets connections that it has not accepted yet, and load
 * balancers do not resend those requests.
 */
async function quietMoment(): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const began = performance.now();
    await new Promise(setImmediate);
    if (performance.now() - began < QUIET_MS) return;
  }
}

/** Closing the HTTP server would first end idle connections one by one, while others still arrive. */
function stopListening(server: Server): Promise<unknown> {
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  server.closeIdleConnections();
  return closed;
}

function serverFor(early: RequestListener): Server {
  const { keepAliveTimeout, requestTimeout, ...options } = SERVER_OPTIONS;
  return createServer({ ...options, keepAliveTimeout, requestTimeout }, early);
}

/** The number of ports that are tried to find a free one. */
const PORTS_TRIED = 100;

/** The next port that is free on all addresses; undefined when none nearby is. */
async function freePortAfter(port: number, addresses: readonly string[]): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(port + PORTS_TRIED, 65_535); next++) {
    const free = await Promise.all(addresses.map((address) => isFree(next, address)));
    if (free.every(Boolean)) return next;
  }
  return undefined;
}

function isFree(port: number, address: string): Promise<boolean> {
  const server = new NetServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false)).listen(port, address, () => server.close(() => resolve(true)));
  });
}

const nameless = (host: string) => new StartFailure(`HOST: ${host} has no address; set HOST to 127.0.0.1.`);

/** IPv6 is not available everywhere: addresses of a name that this machine lacks are omitted. */
async function addressesOf(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host];
  const found = await lookup(host, { all: true }).catch(() => {
    throw nameless(host);
  });
  return [...new Set(found.map(({ address }) => address))];
}

/** Before the application is ready: reports the process alive, and 503 for all else. */
function answerEarly(publicUrls: PublicUrls): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const path = publicUrls.locate(request).split('?', 1)[0];
    const live = path === '/health/live';
    response.writeHead(live ? 200 : 503, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      // The application has different keep-alive settings.
      connection: 'close',
      ...(!live && { 'retry-after': '1' }),
    });
    response.end(live ? JSON.stringify({ status: 'ok' }) : earlyText(path));
  };
}

function earlyText(path: string): string {
  if (path === '/health/ready') return JSON.stringify({ status: 'unavailable', starting: true });
  return bareErrorText(unavailable(familyOf(path) === 'ads'), path);
}
