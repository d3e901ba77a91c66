/** Above it, the log has a warning. */
const WARNED_MS = 500;
/** Above it, a replica gets no requests. */
const MAX_MS = 2_000;
/** A state ends this far below its start, so that a difference near a limit does not toggle it. */
const HYSTERESIS_MS = 50;

/** The difference between the machine's clock and that of PostgreSQL. */
export interface Skew {
  state: 'ok' | 'warned' | 'too much';
  /** The message for operators, in one sentence; empty when there is none. */
  text: string;
}

/** Classifies a difference in milliseconds, positive when the machine is ahead; undefined without a reference. */
export function skewOf(skewMs = 0, last: Skew['state'] = 'ok'): Skew {
  const size = Math.abs(skewMs);
  const above = (limit: number, isIn: boolean) => size > limit - (isIn ? HYSTERESIS_MS : 0);
  const state = above(MAX_MS, last === 'too much') ? 'too much' : above(WARNED_MS, last !== 'ok') ? 'warned' : 'ok';
  if (state === 'ok') return { state, text: '' };
  const difference = `the clock of this machine is ${(size / 1_000).toFixed(1)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of PostgreSQL`;
  const consequence =
    state === 'too much'
      ? 'the limit is 2 s, so this replica is not ready'
      : 'above 2 s this replica is no longer ready';
  return { state, text: `${difference}; ${consequence}. Synchronize both clocks with NTP.` };
}
