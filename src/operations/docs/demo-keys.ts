import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import { isLoopbackPeer } from '../../common/http/public-urls.js';
import { type Config, isLoopbackHost } from '../../config.js';
import { CREDENTIALS_FILE } from '../../demo/credentials-file.js';
import type { DemoCredentials } from '../../demo/demo.js';

const SHOWN = [
  'consumer_key',
  'consumer_secret',
  'access_token',
  'access_token_secret',
  'account_id',
  'sandbox_account_id',
  'funding_instrument_id',
] as const satisfies (keyof DemoCredentials)[];

/** The demo's keys, for the page on the machine that the service runs on; undefined for everybody else. */
export async function demoKeysFor(
  request: FastifyRequest,
  { production, dataDir }: Config,
): Promise<Partial<DemoCredentials> | undefined> {
  if (production || !isAtThisMachine(request) || !isFromOurPage(request)) return undefined;
  const credentials = await demoCredentials(dataDir);
  return credentials && Object.fromEntries(SHOWN.map((name) => [name, credentials[name]]));
}

/** The ids that the examples of the document name, for readers on this machine; undefined for everybody else. */
export async function demoIdsFor(
  request: FastifyRequest,
  { production, dataDir }: Config,
): Promise<Record<string, string> | undefined> {
  if (production || !isAtThisMachine(request)) return undefined;
  return (await demoCredentials(dataDir))?.examples;
}

async function demoCredentials(dataDir: string): Promise<DemoCredentials | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, CREDENTIALS_FILE), 'utf8')) as DemoCredentials;
  } catch {
    return undefined;
  }
}

/** By the connection itself; a name that somebody pointed at loopback does not do, nor does a proxy that runs here. */
function isAtThisMachine({ raw, headers }: FastifyRequest): boolean {
  const hostname = /^(\[[^\]]*\]|[^:@/]*)(:\d+)?$/.exec(headers.host ?? '')?.[1] ?? '';
  const isForwarded = ['forwarded', 'via', 'x-real-ip'].some((name) => name in headers);
  const isProxied = isForwarded || Object.keys(headers).some((name) => name.startsWith('x-forwarded-'));
  return isLoopbackPeer(raw.socket.remoteAddress ?? '') && isLoopbackHost(hostname.toLowerCase()) && !isProxied;
}

/** Other sites cannot send our header without asking first, and nobody answers them; newer browsers say whose page it is. */
function isFromOurPage({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  return (
    headers['x-marquee-docs'] !== undefined &&
    (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin' &&
    (origin === undefined || origin === `http://${host}` || origin === `https://${host}`)
  );
}
