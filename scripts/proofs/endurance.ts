import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { bestGoodput, startLoad } from './support/capacity.js';
import { type Cluster, startCluster } from './support/cluster.js';
import { handlesOf } from './support/handles.js';
import { byStatus, isBusy, succeeded } from './support/load/log.js';
import { residentOf } from './support/memory.js';
import { probe, probedBy } from './support/probe.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';

const EVERY_MS = 10_000;
const MAX_MIB_A_MINUTE = 0.5;
/**
 * At each so many looks garbage is collected, about once a minute: without it the same memory goes up and down by a hundred
 * MiB, by which even what is constant seems to grow by a MiB a minute.
 */
const COLLECTED_EACH = 5;
/** Of a count that is constant with ups and downs: by how much its least may be higher in the last third than in the one before. */
const MAX_HIGHER = 5;
/**
 * Of all requests, in percent, that may be told to come again: while PostgreSQL writes a checkpoint or cleans up on the same
 * processors, more may be underway for a moment than nginx passes on.
 */
const MAX_BUSY = 0.1;
/** Of each replica (deploy/nginx.conf): 128 underway, and 64 that wait for the next request in each process of nginx. Nothing is uploaded. */
const MAX_FROM_NGINX = 128 + 64 * availableParallelism();
/** By how much what is bounded may be larger in the last third than in the one before. */
const MAX_GROWTH = 1.1;
/** Nonces are kept for six minutes; before that, their number grows. */
const NONCE_MINUTES = 6;

/** What is looked at again and again, by name. */
type Sample = { minute: number } & Record<string, number>;

/** Half of what the service can do, for half an hour: nothing grows that does not have to. */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const environment = probedBy('memory-probe', stage.folder);
    const cluster = await startCluster(stage, { campaigns: 1_000, environment });
    const probes = await Promise.all(cluster.replicas.map(({ pid }) => probe(stage.folder, pid)));
    const best = await bestGoodput(stage, cluster);
    const load = startLoad(stage, cluster, 'Endurance', best / 2);
    const client = new pg.Client({ connectionString: cluster.world.databaseUrl });
    await client.connect();
    stage.atEnd(() => client.end());
    const samples: Sample[] = [];
    const collected: Sample[] = [];
    const began = performance.now();
    for (let minute = 0; minute < settings.minutes; minute = (performance.now() - began) / 60_000) {
      samples.push({ minute, ...(await looked(cluster, client)) });
      if (samples.length % COLLECTED_EACH === 1) collected.push({ minute, ...(await afterCollection(probes)) });
      if (samples.length % 30 === 0) console.log(`  ${minute.toFixed(1)} of ${settings.minutes} minutes`);
      await pause(EVERY_MS);
    }
    const { entries } = await load.end();
    if (settings.logs) writeFileSync(join(settings.logs, 'endurance.json'), JSON.stringify({ samples, collected }));
    const failed = entries.filter((entry) => !succeeded(entry) && !isBusy(entry));
    const busy = (entries.filter(isBusy).length / entries.length) * 100;
    return [
      noted('half load; answers', `${worded(best / 2)} a second; ${byStatus(entries)}`),
      { ...atMost('failed', failed.length, 0), ...(failed.length > 0 && { measured: byStatus(failed) }) },
      atMost('503 with retry-after', busy, MAX_BUSY, 'percent'),
      ...['resident of replica 1', 'resident of replica 2'].flatMap((name) => [
        noted(`${name}, least and most`, `${extremesOf(samples, name)} MiB`),
        noted(`${name}, slope`, worded(slope(samples, name), 'MiB a minute')),
        noted(
          `${name}, collected, first and last`,
          `${worded(collected[0][name])}, ${worded(collected.at(-1)![name])} MiB`,
        ),
        atMost(`${name}, collected, slope`, slope(collected, name), MAX_MIB_A_MINUTE, 'MiB a minute'),
      ]),
      ...['connections to PostgreSQL', 'file handles of replica 1', 'file handles of replica 2'].flatMap((name) => [
        noted(`${name}, least and most`, extremesOf(samples, name)),
        atMost(
          `${name}, least in the last third`,
          third(samples, name, 3, Math.min),
          third(samples, name, 2, Math.min) + MAX_HIGHER,
        ),
      ]),
      ...['connections from nginx to replica 1', 'connections from nginx to replica 2'].map((name) =>
        atMost(`${name}, most`, extreme(samples, name, Math.max), MAX_FROM_NGINX),
      ),
      ...['used_nonces', 'handed_over_nonces', 'Redis keys'].map((name) => bounded(samples, name)),
    ];
  });
}

async function looked({ replicas, redis }: Cluster, client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM used_nonces) AS used_nonces,
      (SELECT count(*)::int FROM handed_over_nonces) AS handed_over_nonces,
      (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS "connections to PostgreSQL"`,
  );
  const sample: Record<string, number> = { ...rows[0], 'Redis keys': await redis.keys() };
  replicas.forEach(({ pid, port }, i) => {
    sample[`resident of replica ${i + 1}`] = residentOf(pid);
    const { clients, others } = handlesOf(pid, port);
    sample[`file handles of replica ${i + 1}`] = others;
    sample[`connections from nginx to replica ${i + 1}`] = clients;
  });
  return sample;
}

/** What stays resident when garbage is collected; one replica after the other, for that takes a moment. */
async function afterCollection(probes: (() => Promise<number>)[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [i, ask] of probes.entries()) found[`resident of replica ${i + 1}`] = await ask();
  return found;
}

/** How fast a figure grows by least squares, a minute, over the last two thirds. */
function slope(samples: Sample[], name: string): number {
  const late = samples.slice(Math.floor(samples.length / 3));
  const mean = (of: (sample: Sample) => number) => late.reduce((sum, sample) => sum + of(sample), 0) / late.length;
  const [minutes, value] = [mean(({ minute }) => minute), mean((sample) => sample[name])];
  const together = mean((sample) => (sample.minute - minutes) * (sample[name] - value));
  return together / mean((sample) => (sample.minute - minutes) ** 2);
}

/** What may grow until as much expires as arrives, and no further. */
function bounded(samples: Sample[], name: string): Figure {
  const max = Math.ceil(third(samples, name, 2, Math.max) * MAX_GROWTH);
  const figure = atMost(`${name}, most in the last third`, third(samples, name, 3, Math.max), max);
  // Too short to tell where it ends.
  return settings.minutes / 3 < NONCE_MINUTES ? noted(figure.name, figure.measured) : figure;
}

/** The least or the most of the first, second or last third. */
function third(samples: Sample[], name: string, which: 1 | 2 | 3, of: typeof Math.max): number {
  const [from, to] = [which - 1, which].map((edge) => Math.round((samples.length * edge) / 3));
  return extreme(samples.slice(from, to), name, of);
}

const extremesOf = (samples: Sample[], name: string): string =>
  [Math.min, Math.max].map((of) => worded(extreme(samples, name, of))).join(', ');

const extreme = (samples: Sample[], name: string, of: typeof Math.max): number =>
  of(...samples.map((sample) => sample[name]));
