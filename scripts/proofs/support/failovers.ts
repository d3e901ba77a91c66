import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Postgres } from './postgres.js';
import type { Stage } from './stage.js';

/** How a standby calls itself that says nothing else. */
export const STANDBY = 'walreceiver';

/**
 * Answers `POST /failover`: the primary is killed and its synchronous standby promoted, and the old primary becomes the standby of
 * the new one. Other standbys have another name.
 */
export async function serveFailovers(stage: Stage, primary: Postgres, standby: Postgres): Promise<{ url: string }> {
  let done = Promise.resolve();
  const failOver = async () => {
    const [dead, next] = [primary, standby];
    await dead.kill();
    await next.promote();
    [primary, standby] = [next, dead];
    await dead.follow(next);
    await next.requireStandby(STANDBY);
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
