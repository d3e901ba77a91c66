import { BOUNDS, CLASSES } from '../journal/request-minute.entity.js';

/** The sums of counts of several minutes. */
export const summed = (minutes: readonly { counts: readonly number[] }[]): number[] =>
  minutes.reduce<number[]>((sum, { counts }) => counts.map((count, i) => count + (sum[i] ?? 0)), []);

/** The bound that a share of requests did not exceed, as text; undefined without requests. */
export function latencyOf(counts: readonly number[], share: number): string | undefined {
  const buckets = counts.slice(CLASSES.length);
  const total = buckets.reduce((sum, each) => sum + each, 0);
  if (total === 0) return undefined;
  let seen = 0;
  const bucket = buckets.findIndex((count) => (seen += count) >= share * total);
  return bucket < BOUNDS.length ? `at most ${BOUNDS[bucket]} ms` : `more than ${BOUNDS.at(-1)} ms`;
}
