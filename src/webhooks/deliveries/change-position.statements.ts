/**
 * The condition under which a change `c` was not read at the position `p`. It has one lower bound, at which PostgreSQL
 * begins in the index: it is the end of the previous batch, or the oldest transaction that may be unread.
 */
export const UNREAD = `c."transactionId" >= greatest(p."batchTransactionId", pg_snapshot_xmin(p."readSnapshot"::pg_snapshot)::text::bigint)
  AND NOT (c."transactionId" = p."batchTransactionId" AND c.id <= p."batchChangeId")
  AND NOT pg_visible_in_snapshot(c."transactionId"::text::xid8, p."readSnapshot"::pg_snapshot)`;

/**
 * The condition under which the position `p` comes from another database cluster: this one has not reached its
 * transactions.
 */
export const IS_RESTORED = `pg_snapshot_xmax(p."readSnapshot"::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())`;

/** Columns of the position `p` when it moves without a batch in progress. */
export const NO_BATCH = `"batchSnapshot" = NULL, "batchTransactionId" = 0, "batchChangeId" = '', round = p.round + 1`;
