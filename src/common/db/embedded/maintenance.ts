import type { DataSource } from 'typeorm';

const INTERVAL_MS = 60_000;
/** So much written since the last time is worth the pause. */
const WORTH_BYTES = 48 * 1024 * 1024;

/**
 * Does for the embedded store what background processes do on a server and nothing does there: without it the
 * write-ahead log grows for ever, dead rows are never reused and the planner has no figures. Returns what ends it.
 */
export function startMaintenance(
  dataSource: DataSource,
  { interval = INTERVAL_MS, worth = WORTH_BYTES } = {},
): () => void {
  let last: string | undefined;
  let busy = false;

  async function look(): Promise<void> {
    const [{ at, grown }] = await dataSource.query<{ at: string; grown: number }[]>(
      `SELECT pg_current_wal_lsn()::text AS at, pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::int8 AS grown`,
      [last ?? '0/0'],
    );
    if (last !== undefined && grown >= worth) {
      await dataSource.query('VACUUM (ANALYZE)');
      await dataSource.query('CHECKPOINT');
      last = at;
    }
    last ??= at;
  }

  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    // a store that is busy or closing is looked at next time
    look()
      .catch(() => undefined)
      .finally(() => (busy = false));
  }, interval);
  timer.unref();
  return () => clearInterval(timer);
}
