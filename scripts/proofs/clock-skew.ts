import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { sign } from '../../src/auth/signature/signature.js';
import { type Cluster, startCluster } from './support/cluster.js';
import { onPostgres } from './support/creates.js';
import { ask, type Sendable } from './support/requests.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted } from './support/table.js';

/** By how much the clock of one of two replicas is ahead, in milliseconds. */
const TOLERATED = [700, -700, 1_900, -1_900];
const TOO_MUCH = [3_000, 60_000];
/** How long before they are sent requests were signed, at most. */
const SIGNED_WITHIN_SECONDS = 5;
const AT_ONCE = 8;
const NOTICED_WITHIN_MS = 10_000;
const PATIENCE_MS = 20_000;

/**
 * The machine of one of two replicas has another time: up to 2 s nothing that was signed in the last seconds is refused, nothing is accepted
 * twice and the epoch of nonces stays; above that the replica is not ready, and the other one serves.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const file = join(stage.folder, 'clock-shift');
    writeFileSync(file, '0');
    const preload = pathToFileURL(join(import.meta.dirname, 'support/shifted-clock.js')).href;
    const cluster = await startCluster(stage, {
      secondReplica: { NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_FILE: file },
    });
    const [, shifted] = cluster.replicas;
    const shift = (ms: number) => writeFileSync(file, `${ms}`);
    const count = settings.quick ? 200 : 2_000;
    const figures: Figure[] = [];
    for (const ms of TOLERATED) {
      console.log(`  ${said(ms)} ...`);
      shift(ms);
      await shifted.end();
      await shifted.start();
      const before = await epochOf(cluster);
      const steady = await sendAll(cluster, count);
      const after = await epochOf(cluster);
      await cluster.redis.flush();
      const flushed = await sendAll(cluster, count);
      const last = await epochOf(cluster);
      figures.push(
        ...[
          noted('what the replica says of its clock', (await healthOf(shifted.port)).clock ?? 'nothing'),
          atMost(`refused by all, of ${count} signed in the last 5 s`, steady.refused, 0),
          atMost('accepted twice, of three copies each', steady.twice, 0),
          atMost('changes of the epoch', after - before, 0),
          atMost(`refused by all, of ${count} after Redis was flushed`, flushed.refused, 0),
          atMost('accepted twice then', flushed.twice, 0),
          atMost('changes of the epoch then', last - after, 1),
          atMost('answers other than 200 and 401', steady.others + flushed.others, 0),
        ].map((figure) => ({ ...figure, part: said(ms) })),
      );
    }
    for (const ms of TOO_MUCH) {
      console.log(`  ${said(ms)} ...`);
      shift(0);
      await shifted.end();
      await shifted.start();
      const before = await epochOf(cluster);
      shift(ms);
      process.kill(shifted.pid, 'SIGUSR2');
      const unready = await until(async () => !(await shifted.isReady()));
      const { clock = 'nothing' } = await healthOf(shifted.port);
      const meanwhile = await sendAll(cluster, count);
      const others = await cluster.replicas[0].isReady();
      const after = await epochOf(cluster);
      shift(0);
      process.kill(shifted.pid, 'SIGUSR2');
      const ready = await until(() => shifted.isReady());
      figures.push(
        ...[
          atMost('not ready after the clock was moved', unready, NOTICED_WITHIN_MS, 'ms'),
          noted('what it says', clock),
          atLeast('other replicas that are ready meanwhile', others ? 1 : 0, 1),
          atMost(`refused by all meanwhile, of ${count}`, meanwhile.refused, 0),
          atMost('accepted twice', meanwhile.twice, 0),
          atMost('changes of the epoch', after - before, 0),
          atMost('ready after the clock was put right', ready, NOTICED_WITHIN_MS, 'ms'),
        ].map((figure) => ({ ...figure, part: said(ms) })),
      );
    }
    return figures;
  });
}

const said = (ms: number) => `${ms > 0 ? '+' : '−'}${Math.abs(ms) / 1_000} s`;

/** Sends every request to nginx and both replicas at once, each signed some seconds before. */
async function sendAll({ host, port, world, replicas }: Cluster, count: number) {
  const counted = { refused: 0, twice: 0, others: 0 };
  const target = `/12/accounts/${world.account.id}`;
  let left = count;
  const make = (): Sendable => {
    const authorization = sign({
      method: 'GET',
      url: `http://${host}${target}`,
      params: [],
      ...world.pen,
      timestamp: Math.floor(Date.now() / 1_000) - (left % (SIGNED_WITHIN_SECONDS + 1)),
      nonce: randomUUID(),
    });
    return { method: 'GET', target, headers: { host, authorization } };
  };
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) {
        const request = make();
        const ports = [port, ...replicas.map((replica) => replica.port)];
        const statuses = await Promise.all(ports.map(async (at) => (await ask(at, request)).status));
        const accepted = statuses.filter((status) => status === 200).length;
        if (accepted === 0) counted.refused++;
        if (accepted > 1) counted.twice++;
        counted.others += statuses.filter((status) => status !== 200 && status !== 401).length;
      }
    }),
  );
  return counted;
}

const epochOf = ({ world }: Cluster): Promise<number> =>
  onPostgres(world.databaseUrl, async (query) => {
    const [{ epoch }] = (await query('SELECT "epoch" FROM nonce_epochs', [])) as { epoch: number }[];
    return epoch;
  });

async function healthOf(port: number): Promise<{ clock?: string }> {
  const { body } = await ask(port, { method: 'GET', target: '/health/ready', headers: {} });
  return JSON.parse(body) as { clock?: string };
}

/** How long it took until something was so, in milliseconds; NaN where it was not in time. */
async function until(condition: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < PATIENCE_MS) {
    if (await condition()) return performance.now() - began;
    await pause(50);
  }
  return NaN;
}
