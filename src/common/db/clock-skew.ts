/** Above it the operator is warned. */
const WARNED_MS = 500;
/** Above it a replica gets no requests. */
const MAX_MS = 2_000;
/** A state ends by so much below where it begins, or a difference near a limit would enter and leave it all the time. */
const HYSTERESIS_MS = 50;

/** How the machine's clock stands to that of PostgreSQL. */
export interface Skew {
  state: 'ok' | 'warned' | 'too much';
  /** What an operator is told of it, in one sentence; empty where there is nothing to tell. */
  text: string;
}

/** Judges a difference, in milliseconds, positive where the machine is ahead; undefined where there is nothing to compare with. */
export function skewOf(skewMs = 0, last: Skew['state'] = 'ok'): Skew {
  const size = Math.abs(skewMs);
  const above = (limit: number, isIn: boolean) => size > limit - (isIn ? HYSTERESIS_MS : 0);
  const state = above(MAX_MS, last === 'too much') ? 'too much' : above(WARNED_MS, last !== 'ok') ? 'warned' : 'ok';
  if (state === 'ok') return { state, text: '' };
  const difference = `the clock of this machine is ${(size / 1_000).toFixed(1)} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of PostgreSQL`;
  const consequence =
    state === 'too much' ? 'more than 2 s: this replica is not ready' : 'above 2 s this replica will not be ready';
  return { state, text: `${difference}; ${consequence}. Synchronise both with NTP.` };
}
