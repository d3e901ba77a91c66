import { setTimeout as pause } from 'node:timers/promises';
import { startCluster } from './support/cluster.js';
import { creates, onPostgres, stored } from './support/creates.js';
import { Load } from './support/load/load.js';
import { byStatus, longest, succeeded } from './support/load/log.js';
import { NameServer } from './support/name-server.js';
import { startNginx } from './support/nginx.js';
import { freePort } from './support/ports.js';
import { Replica } from './support/replica.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';

const PER_SECOND = 100;

/** Replicas are replaced by others at other addresses under the same names, as containers are, and nobody notices. */
export function prove(): Promise<Figure[]> {
  const rounds = settings.quick ? 2 : 10;
  return withStage(async (stage) => {
    const { world, replicas: own, environment } = await startCluster(stage, { campaigns: 100 });
    for (const replica of own) await replica.end();
    const names = await NameServer.start(stage);
    const ports = [await freePort(), await freePort()];
    let made = 1;
    const replacement = (i: number) => {
      const address = `127.0.0.${++made}`;
      const replica = new Replica(
        stage,
        ports[i],
        { ...environment, HOST: address, BASE_URL: `http://${host}` },
        address,
      );
      names.set(`app${i + 1}.test`, address);
      return replica;
    };
    const port = await freePort();
    const host = `127.0.0.1:${port}`;
    const replicas = [replacement(0), replacement(1)];
    for (const replica of replicas) await replica.start();
    await startNginx(
      stage,
      { replicas: [`app1.test:${ports[0]}`, `app2.test:${ports[1]}`], nameServer: names.port },
      port,
    );
    // nginx learns the names after it listens.
    await pause(1_000);

    const requests = creates(world, 'Recreated').flatMap((create) => [
      { method: 'GET', target: `/12/accounts/${world.account.id}` },
      create,
    ]);
    const load = Load.start(stage, { port, host, pen: world.pen, requests, perSecond: PER_SECOND, captures: 0 });
    await pause(2_000);
    for (let round = 0; round < rounds; round++) {
      for (const i of [0, 1]) {
        await replicas[i].end();
        names.set(`app${i + 1}.test`);
        replicas[i] = replacement(i);
        await replicas[i].start();
        // As `up --wait` and a rolling deployment leave it: found before the next one is replaced.
        await pause(2_000);
      }
    }
    await pause(1_000);
    const { entries } = await load.end();
    const failed = entries.filter((entry) => !succeeded(entry));
    return [
      noted('answers', byStatus(entries)),
      noted('replicas replaced', `${2 * rounds}`),
      {
        ...atMost('requests that failed', failed.length, 0),
        ...(failed.length > 0 && { measured: byStatus(failed) }),
      },
      noted('longest wait for an answer', worded(longest(entries), 'ms')),
      ...(await onPostgres(world.databaseUrl, (query) => stored(query, 'Recreated', entries))),
    ];
  });
}
