import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEvents } from '../scripts/proofs/support/events.js';
import { NODE_FLAGS, startService } from './servers.js';
import { median } from './statistics.js';
import { query, type World } from './world.js';

/** Committed so many at a time, so that committing is not what is measured. */
const AT_ONCE = 500;
/** The most that one webhook has under way. */
const CONNECTIONS = 64;
const PATIENCE_MS = 120_000;

/** Requests a second that arrived, of the service and of a bare client. */
export interface DeliveryRates {
  events: number;
  ours: number;
  bare: number;
  /** The median of the rounds' own ratios. */
  ratio: number;
}

/**
 * Events a second from the first commit to the arrival of the last at a receiver on this machine; and the same requests, by
 * an undici client that does nothing else. In turn; the first round, in which all of it is compiled, is not counted.
 */
export async function measureDeliveries(
  world: World,
  port: number,
  { events: count, rounds, env }: { events: number; rounds: number; env: Record<string, string> },
): Promise<DeliveryRates> {
  const undo: (() => unknown)[] = [];
  try {
    const receiver = await startReceiver();
    undo.push(() => receiver.close());
    // webhooks on loopback are for development
    const service = await startService(world, port, { ...env, NODE_ENV: 'development', DEMO: 'false' });
    undo.push(() => service.stop());
    const source = await startEvents({ atEnd: (step) => undo.push(step) }, world);
    await source.webhook(receiver.url);
    const folder = mkdtempSync(join(tmpdir(), 'marquee-bench-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    const rates: { ours: number; bare: number }[] = [];
    for (let round = 0; round <= rounds; round++) {
      const arrival = receiver.expect(count);
      const begun = performance.now();
      await source.commit(count, Infinity, { each: AT_ONCE });
      const ours = (count / ((await arrival) - begun)) * 1_000;
      const file = join(folder, 'requests.json');
      writeFileSync(file, JSON.stringify(receiver.taken()));
      // what was recorded last, and what the database has still to do for it
      await pause(1_000);
      rates.push({ ours, bare: await bareRate(receiver, file, count) });
      // as it is done in life from time to time
      await query(world.databaseUrl, 'VACUUM (ANALYZE)');
    }
    const counted = rates.slice(1);
    return {
      events: count,
      ours: median(counted.map((each) => each.ours)),
      bare: median(counted.map((each) => each.bare)),
      ratio: median(counted.map((each) => each.ours / each.bare)),
    };
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

/** Gives the application of the world a webhook at this URL, with a subscription to all accounts. */
export const subscribe = ({ databaseUrl, pen }: World, url: string): Promise<void> =>
  query(
    databaseUrl,
    `WITH made AS (
        INSERT INTO webhooks (id, "createdAt", "updatedAt", "applicationId", url, valid, "validatedAt", "nextCheckAt")
        SELECT '1', now(), now(), id, '${url}', true, now(), '2100-01-01' FROM applications WHERE "consumerKey" = '${pen.consumer.key}' RETURNING id
      ) INSERT INTO webhook_subscriptions (id, "webhookId", "accountId", "createdAt") SELECT '1', id, NULL, now() FROM made`,
  );

interface Sent {
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  url: string;
  /** Resolves with the time at which so many have arrived from now on. */
  expect(count: number): Promise<number>;
  /** What has arrived since. */
  taken(): Sent[];
  close(): void;
}

/** A server on this machine that answers each event at once. */
export async function startReceiver(): Promise<Receiver> {
  let arrived: Sent[] = [];
  let awaited = Infinity;
  let tell = (_at: number): void => undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers as Record<string, string>;
      arrived.push({ headers, body: Buffer.concat(chunks).toString('utf8') });
      response.writeHead(200).end();
      if (arrived.length === awaited) tell(performance.now());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    expect(count) {
      arrived = [];
      awaited = count;
      return new Promise((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`only ${arrived.length} of ${count} events arrived`)),
          PATIENCE_MS,
        );
        tell = (at) => {
          clearTimeout(late);
          resolve(at);
        };
      });
    },
    taken: () => arrived,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The same requests to the same receiver by a process that has them in memory. */
async function bareRate(receiver: Receiver, file: string, count: number): Promise<number> {
  const script = fileURLToPath(new URL('reference-webhooks.js', import.meta.url));
  const child = fork(script, [receiver.url, file, `${CONNECTIONS}`], { execArgv: NODE_FLAGS });
  await once(child, 'message');
  const arrival = receiver.expect(count);
  const begun = performance.now();
  child.send('go');
  const rate = (count / ((await arrival) - begun)) * 1_000;
  if (child.exitCode === null) await once(child, 'exit');
  return rate;
}
