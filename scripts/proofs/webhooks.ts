import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { percentile } from '../../bench/statistics.js';
import { makeWorld, type World } from '../../bench/world.js';
import { changedIn, type EventSource, startEvents } from './support/events.js';
import { freePort } from './support/ports.js';
import { Postgres } from './support/postgres.js';
import { Replica } from './support/replica.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';

const EVENTS = 10_000;
/** Enough that all of them are committed while workers are killed. */
const PER_SECOND = 125;
const WORKERS = 3;
const KILLS = 20;
const FAILING = 0.3;
const MAX_DUPLICATES = 0.01;
/** A lease is over after 30 s, and the last attempt may need one more. */
const PATIENCE_MS = 90_000;
/** In life it takes days; in fifteen attempts a receiver that fails three times in ten has taken everything. */
const PAUSES = Array.from({ length: 15 }, () => '1').join();

const ENDPOINTS = 20;
const SLOW_SECONDS = 60;
const EVENTS_PER_SECOND = 10;
const P95_MS = 2_000;

/**
 * What webhooks are told: 10,000 events to a receiver that fails three times in ten, while workers are killed; and events to
 * twenty endpoints, of which one hangs, one fails and one answers without end.
 */
export async function prove(): Promise<Figure[]> {
  const failing = await withStage(toFailingReceiver);
  const isolated = await withStage(besideBadOnes);
  return [
    ...failing.map((figure) => ({ ...figure, part: 'a receiver that fails, workers that are killed' })),
    ...isolated.map((figure) => ({ ...figure, part: 'twenty endpoints, three of them bad' })),
  ];
}

export interface Installation {
  world: World;
  events: EventSource;
  workers: Replica[];
}

export async function install(stage: Stage, workers: number, more: Record<string, string> = {}): Promise<Installation> {
  const postgres = await Postgres.start(stage);
  const world = await makeWorld(postgres.url, 'marquee', 0);
  const environment = {
    ...world.environment,
    // webhooks on loopback are for development
    NODE_ENV: 'development',
    DEMO: 'false',
    ROLE: 'worker',
    DATA_DIR: stage.folder,
    BASE_URL: 'http://127.0.0.1',
    WEBHOOK_RETRY_SECONDS: PAUSES,
    ...more,
  };
  const replicas: Replica[] = [];
  for (let n = 0; n < workers; n++) replicas.push(new Replica(stage, await freePort(), environment));
  await Promise.all(replicas.map((replica) => replica.start()));
  return { world, events: await startEvents(stage, world), workers: replicas };
}

export interface Server {
  url: string;
}

/** A server that reads each request to its end before it answers. */
export async function serve(
  stage: Stage,
  answer: (request: IncomingMessage, text: string, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, Buffer.concat(chunks).toString('utf8'), response));
    response.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function toFailingReceiver(stage: Stage): Promise<Figure[]> {
  const [total, kills] = settings.quick ? [1_000, 3] : [EVENTS, KILLS];
  const { world, events, workers } = await install(stage, WORKERS);
  const { secret } = world.pen.consumer;
  const standard = new Webhook(`whsec_${Buffer.from(secret).toString('base64')}`);
  const accepted = new Map<string, number>();
  const texts = new Map<string, string>();
  const seen = { requests: 0, unsigned: 0, otherText: 0 };
  const { url } = await serve(stage, ({ headers }, text, response) => {
    seen.requests++;
    const id = changedIn(text);
    if (!isSigned(standard, secret, headers as Record<string, string>, text)) seen.unsigned++;
    const { event_id } = JSON.parse(text) as { event_id: string };
    if (event_id !== headers['webhook-id'] || (texts.get(id) ?? text) !== text) seen.otherText++;
    texts.set(id, text);
    if (Math.random() < FAILING) return response.writeHead(500).end();
    accepted.set(id, (accepted.get(id) ?? 0) + 1);
    response.writeHead(200).end();
  });
  await events.webhook(url);

  const committing = events.commit(total, PER_SECOND);
  for (let n = 0; n < kills; n++) {
    await pause(500 + Math.random() * 1_500);
    const worker = workers[n % workers.length];
    await worker.kill();
    await worker.start();
  }
  const committed = await committing;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end && accepted.size < total;) await pause(200);
  // whatever is sent again is sent within a lease
  await pause(settings.quick ? 1_000 : 35_000);

  const ids = [...committed.keys()];
  const again = [...accepted.values()].reduce((sum, times) => sum + times - 1, 0);
  return [
    noted('events committed, requests', `${worded(ids.length)}, ${worded(seen.requests)}`),
    noted('workers killed', worded(kills)),
    atMost('events never accepted', ids.filter((id) => !accepted.has(id)).length, 0),
    atMost('accepted that were never committed', [...accepted.keys()].filter((id) => !committed.has(id)).length, 0),
    atMost('accepted events that came again', again, total * MAX_DUPLICATES),
    atMost('requests of an event with another text or id', seen.otherText, 0),
    atMost('requests without both signatures right', seen.unsigned, 0),
    atMost(
      'workers that ended by themselves',
      workers.reduce((sum, { crashes }) => sum + crashes, 0),
      0,
    ),
  ];
}

function isSigned(standard: Webhook, secret: string, headers: Record<string, string>, text: string): boolean {
  const own = createHmac('sha256', secret).update(text).digest('base64');
  try {
    standard.verify(text, headers);
    return headers['x-platform-webhooks-signature'] === `sha256=${own}`;
  } catch {
    return false;
  }
}

async function besideBadOnes(stage: Stage): Promise<Figure[]> {
  const seconds = settings.quick ? 10 : SLOW_SECONDS;
  const { events } = await install(stage, 1);
  const arrivals: { endpoint: number; id: string; at: number }[] = [];
  const bad: Record<number, (response: ServerResponse) => void> = {
    0: () => undefined,
    1: (response) => void response.writeHead(500).end(),
    2: (response) => {
      response.writeHead(200);
      const more = setInterval(() => response.write('.'), 100);
      response.on('close', () => clearInterval(more));
    },
  };
  for (let endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
    const { url } = await serve(stage, (_request, text, response) => {
      if (bad[endpoint]) return bad[endpoint](response);
      arrivals.push({ endpoint, id: changedIn(text), at: performance.now() });
      response.writeHead(200).end();
    });
    await events.webhook(url);
  }
  const committed = await events.commit(seconds * EVENTS_PER_SECOND, EVENTS_PER_SECOND);
  const good = ENDPOINTS - Object.keys(bad).length;
  const due = committed.size * good;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end && arrivals.length < due;) await pause(100);
  const waits = arrivals.map(({ id, at }) => at - committed.get(id)!);
  return [
    noted('events, deliveries to the others', `${worded(committed.size)}, ${worded(arrivals.length)}`),
    atMost('deliveries to the others that did not come', due - arrivals.length, 0),
    noted('from commit to arrival at the others, median', worded(percentile(waits, 0.5), 'ms')),
    atMost('from commit to arrival at the others, 95 of 100', percentile(waits, 0.95), P95_MS, 'ms'),
    noted('slowest', worded(Math.max(...waits), 'ms')),
  ];
}
