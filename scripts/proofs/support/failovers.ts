import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Postgres } from './postgres.js';
import type { Stage } from './stage.js';

/** How a standby calls itself that says nothing else. */
export const STANDBY = 'walreceiver';

/**
 * Answers `POST /failover`: the primary is killed and its synchronous standby promoted. The old primary then becomes the standby of
 * the new one; the next failover waits for that. Other standbys have another name.
 */
export async function serveFailovers(stage: Stage, primary: Postgres, standby: Postgres): Promise<{ url: string }> {
  let ready = Promise.resolve();
  const failOver = async () => {
    await ready;
    const [dead, next] = [primary, standby];
    await dead.kill();
    await next.promote();
    [primary, standby] = [next, dead];
    ready = dead.follow(next).then(() => next.requireStandby(STANDBY));
    // whoever waits for it hears of it
    ready.catch(() => undefined);
  };
  const server = createServer((_, response) => {
    failOver().then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.atEnd(async () => {
    server.close();
    await ready.catch(() => undefined);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}` };
}
