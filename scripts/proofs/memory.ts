import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster } from './support/cluster.js';
import { residentOf } from './support/memory.js';
import { freePort } from './support/ports.js';
import { Replica } from './support/replica.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure } from './support/table.js';

/** How much memory the service holds, one minute after it is ready and with nothing to do. */
export async function prove(): Promise<Figure[]> {
  const server = await withStage(async (stage) => {
    const { replicas } = await startCluster(stage);
    return idle(replicas[0]);
  });
  const embedded = await withStage(async (stage) => {
    const replica = new Replica(stage, await freePort(), { DATA_DIR: join(stage.folder, 'data') });
    await replica.start();
    await replica.end();
    await replica.start();
    return idle(replica);
  });
  return [
    atMost('resident on PostgreSQL', server, 200, 'MiB'),
    atMost('resident on the embedded store, second start', embedded, 600, 'MiB'),
  ];
}

async function idle(replica: Replica): Promise<number> {
  await pause(settings.quick ? 10_000 : 60_000);
  return residentOf(replica.pid);
}
