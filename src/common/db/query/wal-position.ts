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
export const contains = (replayed: WalPosition, needed: WalPosition): boolean =>
  replayed.slice(0, TIMELINE_DIGITS) >= needed.slice(0, TIMELINE_DIGITS) &&
  replayed.slice(TIMELINE_DIGITS) >= needed.slice(TIMELINE_DIGITS);
