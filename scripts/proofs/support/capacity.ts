import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.js';
import { creates } from './creates.js';
import { Load } from './load/load.js';
import { type Entry, succeeded } from './load/log.js';
import type { LoadRequest } from './load/task.js';
import type { Processors } from './processors.js';
import { settings } from './settings.js';
import type { Stage } from './stage.js';

/** The first rate that is tried, and by how much more the next one asks. */
const FIRST_PER_SECOND = 200;
const GROWTH = 1.5;
/** A second and a half for the connections and the compiler, then what counts. */
const WARM_UP_MS = 1_500;
/** Below this share of what was asked, it was more than can be served. */
const TOO_MUCH = 0.8;
/** After what was too much nginx may leave replicas alone for 5 s (deploy/nginx.conf). */
const SETTLING_MS = 6_000;

/** Reads of one, lists of 20 and creates in turn: the load that capacity is measured with. */
export function everyday(cluster: Cluster, name: string): LoadRequest[] {
  const account = `/12/accounts/${cluster.world.account.id}`;
  return creates(cluster.world, name).flatMap((create) => [
    { method: 'GET', target: account },
    { method: 'GET', target: `${account}/campaigns?count=20` },
    { ...create, keepsId: false },
  ]);
}

/** How many requests a second succeed at best: the rate is raised until far fewer are served than asked for, twice in a row. */
export async function bestGoodput(stage: Stage, cluster: Cluster, processors?: Processors): Promise<number> {
  const stepMs = settings.quick ? 3_000 : 6_000;
  let best = 0;
  let tooMuch = 0;
  for (let rate = FIRST_PER_SECOND; tooMuch < 2; rate *= GROWTH) {
    const load = startLoad(stage, cluster, `Ramp ${rate}`, rate, { processors });
    await pause(WARM_UP_MS + stepMs);
    const { entries } = await load.end();
    const from = entries.reduce((first, { sentAt }) => Math.min(first, sentAt), Infinity) + WARM_UP_MS;
    const goodput = goodputBetween(entries, from, from + stepMs);
    console.log(`  ${rate.toFixed(0)} a second asked, ${goodput.toFixed(0)} served`);
    tooMuch = goodput < rate * TOO_MUCH ? tooMuch + 1 : 0;
    best = Math.max(best, goodput);
    await pause(SETTLING_MS);
  }
  return best;
}

/** Successful answers a second that arrived between two moments. */
export function goodputBetween(entries: Entry[], from: number, to: number): number {
  const good = entries.filter((entry) => {
    const answeredAt = entry.sentAt + entry.ms;
    return succeeded(entry) && answeredAt >= from && answeredAt < to;
  });
  return good.length / ((to - from) / 1_000);
}

export function startLoad(
  stage: Stage,
  cluster: Cluster,
  name: string,
  perSecond: number,
  { mostUnderway, processors }: { mostUnderway?: number; processors?: Processors } = {},
): Load {
  const load = Load.start(stage, {
    port: cluster.port,
    host: cluster.host,
    pen: cluster.world.pen,
    requests: everyday(cluster, name),
    perSecond,
    captures: 0,
    mostUnderway,
  });
  processors?.forLoad(load.pid);
  return load;
}
