import type { DataSource } from 'typeorm';

const INTERVAL_MS = 60_000;
/** For a smaller growth of the write-ahead log, maintenance is not worth its pause. */
const MIN_WAL_BYTES = 48 * 1024 * 1024;

/**
 * Vacuums, analyzes and checkpoints the embedded store regularly, since it has no background processes. Otherwise the
 * write-ahead log would grow without limit, the space of dead rows would never be reused and the planner would have no
 * statistics. Returns a function that stops it.
 */
export function startMaintenance(
  dataSource: DataSource,
  { intervalMs = INTERVAL_MS, minWalBytes = MIN_WAL_BYTES } = {},
): () => void {
  /** The position in the write-ahead log at the last maintenance, or at the first look. */
  let maintainedAt: string | undefined;
  let running = false;

  async function maintainIfDue(): Promise<void> {
    const [{ at, grown }] = await dataSource.query<{ at: string; grown: number }[]>(
      `SELECT pg_current_wal_lsn()::text AS at, pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::int8 AS grown`,
      [maintainedAt ?? '0/0'],
    );
    if (maintainedAt !== undefined && grown >= minWalBytes) {
      await dataSource.query('VACUUM (ANALYZE)');
      await dataSource.query('CHECKPOINT');
      maintainedAt = at;
    }
    maintainedAt ??= at;
  }

  const timer = setInterval(() => {
    if (running) return;
    running = true;
    // fails while the store is closing, or when no connection is free in time; the next run catches up
    maintainIfDue()
      .catch(() => undefined)
      .finally(() => (running = false));
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
