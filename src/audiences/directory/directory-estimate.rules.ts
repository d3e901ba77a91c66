import { SAMPLE_SIZE } from './directory-sample.rules.js';

/**
 * So many users of a large directory are counted one by one at most. Among as many the sample is off by 5 percent in two of
 * three cases, and rarely by 10; to count more takes longer than a request may (docs/decisions/0022).
 */
export const MAX_COUNTED = 4_000;

/** How many users of the directory so many of the sample stand for. */
export const standsFor = (ofSample: number, users: number): number =>
  users > SAMPLE_SIZE ? (ofSample * users) / SAMPLE_SIZE : ofSample;

/** Whether users of whom the sample has so many are few enough to be counted one by one. */
export const isFew = (ofSample: number, users: number): boolean => standsFor(ofSample, users) <= MAX_COUNTED;
