/**
 * Captured requests, sent again and again to two replicas: each is accepted at most once, whatever happens to Redis half
 * way, and what is signed after that is accepted at once.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { makeWorld } from '../../dist/bench/world.js';
import { OWN_REDIS_PORT, PORT, POSTGRES, send, signed, startService } from './service.mjs';

const CAPTURED = 1_000;
const COPIES = 20;
/** Requests signed right after the incident, which have to be accepted. */
const AFTERWARDS = 200;
/** Captured requests whose copies are underway at the same time. */
const AT_ONCE = 8;

const INCIDENTS = {
  'nothing happens': async () => undefined,
  'Redis flushed': async (redis) => {
    const client = new Redis(OWN_REDIS_PORT, '127.0.0.1');
    await client.flushall();
    client.disconnect();
    return redis;
  },
  'Redis restarted': async (redis) => {
    await redis.stop();
    return startRedis();
  },
  'Redis stopped': async (redis) => {
    await redis.stop();
    return undefined;
  },
};

export async function prove() {
  const failures = [];
  for (const [name, incident] of Object.entries(INCIDENTS)) failures.push(...(await replayed(name, incident)));
  return failures;
}

async function replayed(name, incident) {
  const world = await makeWorld(POSTGRES, `marquee_bench_replay_${process.pid}`, 0);
  let redis = await startRedis();
  const replicas = [];
  try {
    const host = `127.0.0.1:${PORT}`;
    const environment = {
      ...world.environment,
      BASE_URL: `http://${host}`,
      REDIS_URL: `redis://127.0.0.1:${OWN_REDIS_PORT}`,
    };
    for (const port of [PORT, PORT + 1]) replicas.push(await startService(port, environment));
    const make = () => signed(host, world.pen, 'GET', `/12/accounts/${world.account.id}`);

    const tally = new Tally(replicas.map(({ port }) => port));
    const captured = Array.from({ length: CAPTURED }, make);
    const half = captured.slice(0, CAPTURED / 2);
    await tally.sendAll(half, COPIES / 2);
    const before = tally.accepted();

    redis = await incident(redis);
    const began = performance.now();
    const fresh = Array.from({ length: AFTERWARDS }, make);
    await tally.sendAll(fresh, COPIES);
    const settledMs = performance.now() - began;
    await tally.sendAll([...half, ...captured], COPIES / 2);

    const failures = [];
    const twice = [...tally.counts.values()].filter((count) => count > 1).length;
    if (twice > 0) failures.push(`${name}: ${twice} requests were accepted twice`);
    if (before !== half.length) failures.push(`${name}: only ${before} of ${half.length} were accepted before`);
    const refused = fresh.filter((request) => tally.counts.get(request) !== 1).length;
    if (refused > 0) failures.push(`${name}: ${refused} of ${AFTERWARDS} signed afterwards were not accepted once`);
    if (tally.others.size > 0) failures.push(`${name}: other answers: ${JSON.stringify([...tally.others])}`);
    console.log(
      `${name}: ${tally.sent} sent, ${tally.accepted()} of ${CAPTURED + AFTERWARDS} accepted, ${twice} twice; ${AFTERWARDS - refused} of ${AFTERWARDS} signed afterwards accepted, within ${settledMs.toFixed(0)} ms`,
    );
    return failures;
  } finally {
    for (const replica of replicas) await replica.end();
    await redis?.stop();
    await world.drop();
  }
}

/** Sends copies to the replicas in turn and counts how often each request was accepted. */
class Tally {
  counts = new Map();
  /** Answers that are neither 200 nor 401. */
  others = new Map();
  sent = 0;

  constructor(ports) {
    this.ports = ports;
  }

  accepted() {
    return [...this.counts.values()].filter((count) => count > 0).length;
  }

  async sendAll(requests, copies) {
    const queue = requests.values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const request of queue) await Promise.all(Array.from({ length: copies }, () => this.send(request)));
      }),
    );
  }

  async send(request) {
    const port = this.ports[this.sent++ % this.ports.length];
    const { status } = await send(port, request);
    if (status === 200) this.counts.set(request, (this.counts.get(request) ?? 0) + 1);
    else if (status !== 401) this.others.set(status, (this.others.get(status) ?? 0) + 1);
  }
}

/** A Redis of our own, which keeps nothing. */
async function startRedis() {
  const server = spawn(
    'redis-server',
    ['--port', OWN_REDIS_PORT, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: 'ignore',
    },
  );
  const ended = once(server, 'exit');
  const client = new Redis(OWN_REDIS_PORT, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  while ((await client.ping()) !== 'PONG') await pause(20);
  client.disconnect();
  // Another one answers there, and ours could not take the port.
  if (server.exitCode !== null) throw new Error(`port ${OWN_REDIS_PORT} is taken; set PROOF_REDIS_PORT`);
  return {
    async stop() {
      server.kill('SIGTERM');
      await ended;
    },
  };
}
