import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Postgres } from './postgres.js';
import type { Stage } from './stage.js';

/** How a standby calls itself that says nothing else. */
export const STANDBY = 'walreceiver';
/** How the read replica does. */
export const READS = 'reads';

/** How long a read replica may take to follow the new primary. */
const FOLLOWS_WITHIN_MS = 15_000;
const LOOK_MS = 100;

/**
 * Answers `POST /failover`: the primary is killed and its synchronous standby promoted, and the old primary becomes the standby of
 * the new one. A read replica follows whichever is the primary.
 */
export async function serveFailovers(
  stage: Stage,
  primary: Postgres,
  standby: Postgres,
  replica: Postgres,
): Promise<{ url: string }> {
  let done = Promise.resolve();
  const failOver = async () => {
    const [dead, next] = [primary, standby];
    await dead.kill();
    await next.promote();
    [primary, standby] = [next, dead];
    await dead.follow(next);
    await next.requireStandby(STANDBY);
    // it may have got what the standby never had, and then it cannot follow
    if (await replicaFollows(next)) return;
    await replica.kill();
    await replica.follow(next);
  };
  const server = createServer((_, response) => {
    done = failOver().then(
      () => void response.end(),
      (error: unknown) => void response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(async () => {
    server.close();
    await done;
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}` };
}

/** Whether the read replica gets what a primary writes, after a while. */
async function replicaFollows(primary: Postgres): Promise<boolean> {
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ written: string }>('SELECT pg_current_wal_lsn() AS written');
    for (const deadline = performance.now() + FOLLOWS_WITHIN_MS; performance.now() < deadline; await pause(LOOK_MS)) {
      const found = await client.query(
        `SELECT FROM pg_stat_replication WHERE application_name = $1 AND state = 'streaming' AND replay_lsn >= $2`,
        [READS, rows[0].written],
      );
      if (found.rowCount === 1) return true;
    }
    return false;
  } finally {
    await client.end();
  }
}
