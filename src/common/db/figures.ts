import type { Metrics } from '../metrics/metrics.js';
import type { Database } from './database.js';
import { PRIMARY_REASONS } from './query/freshness.js';
import type { ReadReplicas } from './read-replicas/read-replicas.js';

/** Exports metrics of the usage of database connections, and of statements that wait. */
export function showFigures(store: Database, metrics: Metrics): void {
  metrics.gauge('database_up', 'Whether the database answers', async () => Number(await store.answers()));
  metrics.gauge(
    'database_commits_waiting',
    'Commits that have waited for a synchronous standby for a second or longer',
    () => store.commitsWaiting(),
  );
  metrics.gauge(
    'clock_skew_seconds',
    "Seconds by which the machine's clock is ahead of PostgreSQL's; 0 on the embedded store",
    () => (store.time?.skewMs ?? 0) / 1_000,
  );
  metrics.gaugesBy(
    'pool',
    {
      database_connections: 'Open connections, by purpose',
      database_connections_used: 'Open connections that are in use, by purpose',
      database_connections_max: 'Maximum number of connections, by purpose',
      database_waiting:
        'Statements that wait for a connection; on shared connections, all statements without an answer yet',
    },
    () =>
      named(store.connections(), ({ open, used, max, waiting }) => ({
        database_connections: open,
        database_connections_used: used,
        database_connections_max: max,
        database_waiting: waiting,
      })),
  );
  metrics.gaugeBy(
    'database_contending',
    'Statements that wait for others on the same account or row, by lane',
    'lane',
    () => Promise.resolve(store.contending()),
  );
  showReplicas(store.readReplicas, metrics);
}

/** Exports which server served reads that opted into read replicas, and how far these lag; no values without any. */
function showReplicas(replicas: ReadReplicas | undefined, metrics: Metrics): void {
  const countRead = metrics.counter(
    'read_replica_reads_total',
    'Reads that may use a read replica, by the server that served them',
    ['server'],
  );
  const countPrimary = metrics.counter(
    'read_replica_primary_reads_total',
    'Reads that may use a read replica and used the primary, by reason',
    ['reason'],
  );
  metrics.gaugesBy(
    'server',
    {
      read_replica_up: 'Whether a read replica serves reads',
      read_replica_lag_seconds: 'Seconds ago at which all was committed that a read replica certainly has',
    },
    () =>
      Promise.resolve(
        Object.fromEntries(
          (replicas?.reports ?? []).map(({ name, isInUse, lagMs }) => [
            name,
            {
              read_replica_up: Number(isInUse),
              ...(lagMs !== Infinity && { read_replica_lag_seconds: lagMs / 1_000 }),
            },
          ]),
        ),
      ),
  );
  if (!replicas) return;
  replicas.observe({
    served: (server) => countRead({ server }),
    primary: (reason) => countPrimary({ reason }),
  });
  for (const reason of PRIMARY_REASONS) countPrimary({ reason }, 0);
  for (const { name } of replicas.reports) countRead({ server: name }, 0);
}

const named = <V, F>(found: Record<string, V>, figures: (value: V) => F): Promise<Record<string, F>> =>
  Promise.resolve(Object.fromEntries(Object.entries(found).map(([name, value]) => [name, figures(value)])));
