/**
 * Why a read that may use a read replica is sent to the primary: `writing`, a write of its account or user is in
 * progress, or its position is not known yet; `unknown`, writes may be unknown, because Redis is away or recently was;
 * `behind`, no replica has replayed the last write; `none`, no replica is in use; `failed`, the replica failed or did
 * not respond in time.
 */
export const PRIMARY_REASONS = ['writing', 'unknown', 'behind', 'none', 'failed'] as const;
export type PrimaryReason = (typeof PRIMARY_REASONS)[number];

/** On whose behalf rows are read. */
export interface RowReader {
  /** What the answer must contain if it comes from a read replica; absent when it needs the primary. */
  freshness?: Freshness;
}

/** The writes that the reads of one request must see, so that they may use a read replica. */
export interface Freshness {
  /** Whose reads: those of one owner prefer one replica, so that they do not go back in time. */
  readonly owner: string;
  /** The position of the last write that they must see; absent if there was none recently. */
  readonly position?: WalPosition;
  /** Why they need the primary whatever replicas there are. */
  readonly primaryBecause?: 'writing' | 'unknown';
}

/**
 * A position in the write-ahead log of a primary: 8 hexadecimal digits of its timeline, which grows with each
 * promotion, and 16 of the LSN.
 */
export type WalPosition = string;

const TIMELINE_DIGITS = 8;

/** The position of an LSN as PostgreSQL writes it, such as `16/B374D848`. */
export function walPosition(timeline: number, lsn: string): WalPosition {
  const [high, low] = lsn.split('/');
  return `${timeline.toString(16).padStart(TIMELINE_DIGITS, '0')}${high.padStart(8, '0')}${low.padStart(8, '0')}`.toLowerCase();
}

/** The timeline of a position. */
export const timelineOf = (position: WalPosition): number => parseInt(position.slice(0, TIMELINE_DIGITS), 16);

/**
 * Whether a server that replayed up to `replayed` has everything that was written up to `needed`. Both parts must
 * suffice: after a promotion, LSNs of an abandoned timeline may be higher, and a standby that follows the new timeline
 * may still replay what precedes it.
 */
export const hasReplayed = (replayed: WalPosition, needed: WalPosition): boolean =>
  replayed.slice(0, TIMELINE_DIGITS) >= needed.slice(0, TIMELINE_DIGITS) &&
  replayed.slice(TIMELINE_DIGITS) >= needed.slice(TIMELINE_DIGITS);
