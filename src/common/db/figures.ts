import type { Metrics } from '../metrics/metrics.js';
import type { Database } from './database.js';

/** Exports metrics of the usage of database connections, and of statements that wait. */
export function showFigures(store: Database, metrics: Metrics): void {
  metrics.gauge('database_up', 'Whether the database answers', async () => Number(await store.answers()));
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
      database_connections_most: 'Maximum number of connections, by purpose',
      database_waiting:
        'Statements that wait for a connection; on shared connections, all statements without an answer yet',
    },
    () =>
      named(store.connections(), ({ open, used, most, waiting }) => ({
        database_connections: open,
        database_connections_used: used,
        database_connections_most: most,
        database_waiting: waiting,
      })),
  );
  metrics.gaugeBy(
    'database_contending',
    'Statements that wait for others on the same account or row, by lane',
    'lane',
    () => Promise.resolve(store.contending()),
  );
}

const named = <V, F>(found: Record<string, V>, figures: (value: V) => F): Promise<Record<string, F>> =>
  Promise.resolve(Object.fromEntries(Object.entries(found).map(([name, value]) => [name, figures(value)])));
