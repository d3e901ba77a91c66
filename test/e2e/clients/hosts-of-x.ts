import { execFile } from 'node:child_process';
import { connect, createServer, type LookupFunction, type Socket } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startNginx } from '../../support/nginx.js';
import { SNIPPETS } from '../docs/snippets.js';

const SECTION = 'A proxy with the hosts of X';
const textOf = (i: number) => SNIPPETS.find(({ name }) => name === `${SECTION} ${i}`)!.text;

/** What the page tells a reader to write, run and start. */
export const CERTIFICATES = textOf(1);
export const CONFIGURATION = textOf(2);
export const HOSTS = textOf(3);
/** The variables of the service. */
export const VARIABLES = Object.fromEntries(
  [...textOf(4).matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]): [string, string] => [name, value]),
);

/**
 * The proxy of the page, on a port of its own. Instead of /etc/hosts and port 443, `environment` leads a process there:
 * Node by options of its global agent, Python and Ruby by a proxy that tunnels.
 */
export class HostsOfX {
  private constructor(
    private readonly folder: string,
    private readonly closing: (() => unknown)[],
    readonly environment: Record<string, string>,
    /** The same for requests of this process. */
    readonly agent: Agent,
  ) {}

  static async start(servicePort: number, certificates: string): Promise<HostsOfX> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'marquee-hosts-of-x-'));
    const nginx = await startNginx(
      port,
      CONFIGURATION.replace('127.0.0.1:443', `127.0.0.1:${port}`)
        .replace('127.0.0.1:3000', `127.0.0.1:${servicePort}`)
        .replaceAll('/etc/nginx', certificates),
    );
    const tunnel = await startTunnel(port);
    const preload = join(folder, 'preload.mjs');
    writeFileSync(preload, preloadOf(port));
    const authority = join(certificates, 'ca.crt');
    const environment = {
      NODE_OPTIONS: `--import=${preload}`,
      NODE_EXTRA_CA_CERTS: authority,
      https_proxy: tunnel.url,
      tunnel: tunnel.url,
      REQUESTS_CA_BUNDLE: authority,
      SSL_CERT_FILE: authority,
    };
    const agent = new Agent({ port, lookup, ca: readFileSync(authority) });
    return new HostsOfX(folder, [() => nginx.close(), () => tunnel.close()], environment, agent);
  }

  /** Creates the certificates in a folder, with the commands of the page. */
  static async createCertificates(folder: string): Promise<void> {
    await promisify(execFile)('sh', ['-ec', CERTIFICATES], { cwd: folder });
  }

  async close() {
    for (const each of this.closing) await each();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const lookup: LookupFunction = (_host, { all }, done) =>
  all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);

const preloadOf = (port: number) => `
import https from 'node:https';
const lookup = ${String(lookup)};
Object.assign(https.globalAgent.options, { port: ${port}, lookup });
`;

/** An HTTP proxy that leads every CONNECT to this port. */
async function startTunnel(port: number): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy()).once('close', () => sockets.delete(client));
    client.once('data', () => {
      const upstream = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(upstream).pipe(client);
      });
      upstream.on('error', () => client.destroy());
    });
  });
  const own = await freePort();
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${own}`,
    close() {
      server.close();
      sockets.forEach((each) => each.destroy());
    },
  };
}
