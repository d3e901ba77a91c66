/** The service as a process of its own, and signed requests to it. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sign } from '../../dist/src/auth/oauth1/signature.js';

const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
const PATIENCE_MS = 60_000;

export const POSTGRES = process.env.PROOF_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
export const REDIS = process.env.PROOF_REDIS_URL ?? 'redis://127.0.0.1:6379';
/** The first of the ports that a proof uses. */
export const PORT = Number(process.env.PROOF_PORT ?? 3240);
/** Redis servers that a proof starts itself, because it stops them. */
export const OWN_REDIS_PORT = Number(process.env.PROOF_REDIS_PORT ?? 6391);

/** Ceilings that nothing here reaches: what is proved is not the limits. */
const CEILINGS = Object.fromEntries(
  ['WRITES', 'CORE_READS', 'ACCOUNT_READS', 'GLOBAL_READS'].map((name) => [`RATE_LIMIT_${name}`, '1000000000/900']),
);

/** A folder that is gone afterwards. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-proof-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the service and waits until it says that it is ready; `readyMs` tells how long that took. */
export async function startService(port, environment) {
  const began = performance.now();
  const child = spawn(process.execPath, ['--max-semi-space-size=64', MAIN], {
    env: {
      PATH: process.env.PATH,
      PORT: port,
      LOG_LEVEL: 'error',
      SHUTDOWN_DELAY_MS: '0',
      ...CEILINGS,
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const service = {
    port,
    pid: child.pid,
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
  await untilReady(port, () => child.exitCode === null && child.signalCode === null);
  return { ...service, readyMs: performance.now() - began };
}

export async function untilReady(port, lives = () => true) {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await pause(20)) {
    if (!lives()) throw new Error('the service ended before it was ready');
    const answer = await send(port, { method: 'GET', target: '/health/ready', agent: false }).catch(() => undefined);
    if (answer?.status === 200) return;
  }
  throw new Error('the service does not get ready');
}

/** A signed request as a client makes it for a host, ready to be sent once or, by somebody who has overheard it, again. */
export function signed(host, { consumer, token }, method, target) {
  const authorization = sign({
    method,
    url: `http://${host}${target}`,
    consumer,
    token,
    timestamp: Math.floor(Date.now() / 1000),
    nonce: randomUUID(),
  });
  return { method, target, headers: { host, authorization } };
}

const KEEP_ALIVE = new Agent({ keepAlive: true, maxSockets: 64 });

export function send(port, { method, target, headers = {}, agent = KEEP_ALIVE }) {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', method, path: target, headers, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode, body }));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** The keys and ids of the demo world that the embedded store of a folder holds. */
export function demoOf(folder) {
  const demo = JSON.parse(readFileSync(join(folder, 'demo-credentials.json'), 'utf8'));
  return {
    pen: {
      consumer: { key: demo.consumer_key, secret: demo.consumer_secret },
      token: { key: demo.access_token, secret: demo.access_token_secret },
    },
    account: { id: demo.account_id, fundingId: demo.funding_instrument_id },
  };
}
