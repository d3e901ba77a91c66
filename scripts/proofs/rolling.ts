import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, startCluster } from './support/cluster.js';
import { creates, onPostgres, stored } from './support/creates.js';
import { Load } from './support/load/load.js';
import { byStatus, isBusy, longest, succeeded } from './support/load/log.js';
import type { LoadRequest } from './support/load/task.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';

const PER_SECOND = 200;
const METHODS = ['GET', 'POST', 'PUT'];

/**
 * Replicas are restarted one after the other, as a deployment does it, and nobody notices. Then they are killed: clients are told to
 * come again, and never that their keys are wrong.
 */
export function prove(): Promise<Figure[]> {
  const restarts = settings.quick ? 2 : 10;
  return withStage(async (stage) => {
    const cluster = await startCluster(stage, { campaigns: 100 });
    const { replicas, world, port, host } = cluster;
    const campaigns = await campaignsOf(cluster);
    const requests = requestsOf(cluster, campaigns, 'Rolling');
    const load = Load.start(stage, { port, host, pen: world.pen, requests, perSecond: PER_SECOND, captures: 0 });
    await pause(2_000);
    let forced = 0;
    for (let i = 0; i < restarts; i++) {
      for (const replica of replicas) {
        if (await replica.end()) forced++;
        await replica.start();
      }
    }
    await pause(2_000);
    const { entries } = await load.end();
    const killed = await underKills(stage, cluster, requestsOf(cluster, campaigns, 'Killed'), restarts);
    return [
      noted('answers', byStatus(entries)),
      ...METHODS.map((method) => {
        const failed = entries.filter((entry) => requests[entry.kind].method === method && !succeeded(entry));
        return {
          ...atMost(`${method}s that failed`, failed.length, 0),
          ...(failed.length > 0 && { measured: byStatus(failed) }),
        };
      }),
      noted('longest wait for an answer', worded(longest(entries), 'ms')),
      ...(await onPostgres(world.databaseUrl, (query) => stored(query, 'Rolling', entries))),
      atMost(`replicas that had to be killed, of ${2 * restarts}`, forced, 0),
      ...killed,
    ];
  });
}

/** What clients are answered while replicas are killed one after the other. */
async function underKills(
  stage: Stage,
  { replicas, world, port, host }: Cluster,
  requests: LoadRequest[],
  rounds: number,
): Promise<Figure[]> {
  const load = Load.start(stage, { port, host, pen: world.pen, requests, perSecond: PER_SECOND, captures: 0 });
  for (let i = 0; i < rounds; i++) {
    for (const replica of replicas) {
      await pause(1_000);
      await replica.kill();
      await pause(300);
      await replica.start();
    }
  }
  await pause(1_000);
  const { entries } = await load.end();
  const odd = entries.filter((entry) => !succeeded(entry) && !isBusy(entry));
  const figures = [
    noted(`answers under ${2 * rounds} kills`, byStatus(entries)),
    atMost('401s', entries.filter(({ status }) => status === 401).length, 0),
    {
      ...atMost('answers other than 2xx and 503 with retry-after', odd.length, 0),
      ...(odd.length > 0 && { measured: byStatus(odd) }),
    },
  ];
  return figures.map((figure) => ({ ...figure, part: 'kill -9' }));
}

/** Two reads, a create and an update in turn. */
function requestsOf({ world }: Cluster, campaigns: string[], name: string): LoadRequest[] {
  const account = `/12/accounts/${world.account.id}`;
  return creates(world, name).flatMap((create, i) => [
    { method: 'GET', target: account },
    create,
    { method: 'GET', target: `${account}/campaigns?count=20` },
    { method: 'PUT', target: `${account}/campaigns/${campaigns[i]}?name=Updated%20{n}` },
  ]);
}

async function campaignsOf({ ask, world }: Cluster): Promise<string[]> {
  const { body } = await ask('GET', `/12/accounts/${world.account.id}/campaigns?count=20`);
  return (JSON.parse(body) as { data: { id: string }[] }).data.map(({ id }) => id);
}
