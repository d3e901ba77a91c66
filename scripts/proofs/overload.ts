import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../../bench/statistics.js';
import { bestGoodput, goodputBetween, startLoad } from './support/capacity.js';
import { type Cluster, startCluster } from './support/cluster.js';
import { byStatus, type Entry, succeeded } from './support/load/log.js';
import { NOT_SENT } from './support/load/task.js';
import { setApart } from './support/processors.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted, worded } from './support/table.js';

const TIMES = 4;
const GENERATORS = 2;
/** Of each, so that nginx has connections for all of them and for others. */
const MAX_IN_FLIGHT = 1_500;
/** The share of the best goodput that is served whatever else is asked. */
const SHARE = 0.8;
const REFUSED_WITHIN_MS = 1_000;
const HEALTHY_P99_MS = 500;
/** Not counted: replicas and balancer notice that it is too much. */
const SETTLING_MS = 5_000;

/** Four times as much is asked as can be served: what can be is, the rest is refused at once, and afterwards all is well. */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    // with the processors shared, four times the load takes what serves at best: the proof would be of the generators
    const processors = setApart();
    stage.atEnd(() => processors.reunite());
    const cluster = await startCluster(stage, { campaigns: 1_000 });
    const best = await bestGoodput(stage, cluster, processors);
    const perSecond = (best * TIMES) / GENERATORS;
    const began = Date.now();
    const loads = Array.from({ length: GENERATORS }, (_, i) =>
      startLoad(stage, cluster, `Overload ${i}`, perSecond, { mostUnderway: MAX_IN_FLIGHT, processors }),
    );
    await pause(settings.quick ? 15_000 : 60_000);
    const over = Date.now();
    for (const load of loads) load.rate(0);

    // Those that are underway still are waited for further below; until they are answered there is too much to do.
    const firstMs = await firstServed(cluster);
    const after = startLoad(stage, cluster, 'After', best / 2, { processors });
    await pause(1_000);
    const second = (await after.end()).entries;
    const entries = (await Promise.all(loads.map((load) => load.end()))).flatMap((log) => log.entries);

    const goodput = goodputBetween(entries, began + SETTLING_MS, over);
    const refused = entries.filter(isRefusal);
    const odd = entries.filter((entry) => !succeeded(entry) && !isRefusal(entry) && entry.status !== NOT_SENT);
    const times = refused.map(({ ms }) => ms);
    return [
      noted('processors', processors.told),
      noted('best goodput', worded(best, 'a second')),
      noted('asked; answers', `${worded(best * TIMES)} a second; ${byStatus(entries)}`),
      atLeast('goodput meanwhile', goodput, best * SHARE, 'a second'),
      {
        ...atMost('answers other than 2xx, 503 and 429 with retry-after', odd.length, 0),
        measured: byStatus(odd) || '0',
      },
      noted('refusals, median', worded(percentile(times, 0.5), 'ms')),
      atMost('refusals, p99', percentile(times, 0.99), REFUSED_WITHIN_MS, 'ms'),
      noted(
        'served, p99',
        worded(
          percentile(
            entries.filter(succeeded).map(({ ms }) => ms),
            0.99,
          ),
          'ms',
        ),
      ),
      atMost('the first that is served afterwards', firstMs, HEALTHY_P99_MS, 'ms'),
      {
        ...atMost(
          'failed in the second afterwards, at half the best rate',
          second.filter((entry) => !succeeded(entry)).length,
          0,
        ),
        measured: byStatus(second),
      },
      atMost(
        'p99 of the second afterwards',
        percentile(
          second.map(({ ms }) => ms),
          0.99,
        ),
        HEALTHY_P99_MS,
        'ms',
      ),
      atMost('replicas that ended by themselves', cluster.replicas[0].crashes + cluster.replicas[1].crashes, 0),
    ];
  });
}

/** How long after now it takes until a request is served, in milliseconds; the next is sent when the last was refused. */
async function firstServed({ ask, world }: Cluster): Promise<number> {
  const began = performance.now();
  while ((await ask('GET', `/12/accounts/${world.account.id}`)).status !== 200) await pause(10);
  return performance.now() - began;
}

const isRefusal = ({ status, retryAfter }: Entry): boolean => (status === 503 || status === 429) && retryAfter;
