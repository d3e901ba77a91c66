import type { WalPosition } from './wal-position.js';

/**
 * Why a read that may use a read replica is sent to the primary: `writing`, a write of its account or user is in
 * progress, or its position is not known yet; `unknown`, writes may be unknown, because Redis is away or recently was;
 * `behind`, no replica has replayed the last write; `none`, no replica is in use; `failed`, the replica failed or did
 * not respond in time.
 */
export const PRIMARY_REASONS = ['writing', 'unknown', 'behind', 'none', 'failed'] as const;
export type PrimaryReason = (typeof PRIMARY_REASONS)[number];

/** On whose behalf rows are read. */
export interface Reader {
  /** What the answer must contain if it comes from a read replica; absent when it needs the primary. */
  freshness?: Freshness;
}

/** What the reads of one request must see, so that they may use a read replica. */
export interface Freshness {
  /** Whose reads: those of one owner prefer one replica, so that they do not go back in time. */
  readonly owner: string;
  /** The position of the last write that they must see; absent if there was none recently. */
  readonly position?: WalPosition;
  /** Why they need the primary whatever replicas there are. */
  readonly primaryBecause?: 'writing' | 'unknown';
}
