import { SAMPLE_SIZE } from './directory-sample.rules.js';

/**
 * Maximum number of users of a large directory to count one by one. For this many users the sample is off by 5 percent
 * in two of three cases, and rarely by 10. Counting more takes longer than a request may (docs/decisions/0022).
 */
export const MAX_COUNTED = 4_000;

/** The number of directory users that a number of sampled users represents. */
export const standsFor = (ofSample: number, users: number): number =>
  users > SAMPLE_SIZE ? (ofSample * users) / SAMPLE_SIZE : ofSample;

/** Whether users with this many in the sample are few enough to count one by one. */
export const isFew = (ofSample: number, users: number): boolean => standsFor(ofSample, users) <= MAX_COUNTED;
