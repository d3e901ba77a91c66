import type { Metrics } from '../metrics/metrics.js';
import type { Database } from './database.js';

/** Exports metrics of the usage of database connections, and of statements that wait. */
export function showFigures(store: Database, metrics: Metrics): void {
  metrics.gauge('database_up', 'Whether the database answers', async () => Number(await store.answers()));
  metrics.gauge(
    'clock_skew_seconds',
    "By how much the machine's clock is ahead of PostgreSQL's; 0 on the embedded store",
    () => (store.time?.skewMs ?? 0) / 1_000,
  );
  metrics.gaugesBy(
    'pool',
    {
      database_connections: 'Connections that are open, by what they are for',
      database_connections_used: 'How many of them have something to do',
      database_connections_most: 'How many there may be',
      database_waiting: 'Statements that wait for a connection; of shared ones all that are not answered yet',
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
    'Statements that wait for others of the same account or row, by lane',
    'lane',
    () => Promise.resolve(store.contending()),
  );
}

const named = <V, F>(found: Record<string, V>, figures: (value: V) => F): Promise<Record<string, F>> =>
  Promise.resolve(Object.fromEntries(Object.entries(found).map(([name, value]) => [name, figures(value)])));
