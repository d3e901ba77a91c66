import pg from 'pg';
import { StartFailure } from '../start-failure.js';
import { isPassing, serverFailure } from './reach-server.js';
import type { ReadReplicas } from './read-replicas/read-replicas.js';

const VARIABLE = 'DATABASE_REPLICA_URLS';

/**
 * Begins to use the read replicas. Throws a StartFailure for one that cannot serve unless somebody changes something:
 * its URL is wrong, it has other data than the primary, or its role lacks a privilege. One that does not respond, or is
 * not a standby now, may serve later.
 */
export async function startReadReplicas(replicas: ReadReplicas): Promise<void> {
  await replicas.start();
  for (const { name, state, failure, settings } of replicas.reports) {
    if (state === 'other data')
      throw new StartFailure(
        `${VARIABLE}: the server at ${name} has other data than that of DATABASE_URL, or the URL names another database; name a standby of that server.`,
      );
    if (state === 'no privilege')
      throw new StartFailure(
        `${VARIABLE}: the role at ${name} may not see from which timeline the standby streams; run GRANT pg_read_all_stats TO that role on the primary.`,
      );
    if (state === 'away' && failure !== undefined && !isPassing(failure))
      throw new StartFailure(serverFailure(failure, new pg.Client(settings), { variable: VARIABLE }));
  }
}
