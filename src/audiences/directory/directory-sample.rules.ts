import { hash } from 'node:crypto';

/** Number of users in the sample for estimates; smaller directories are counted completely (docs/decisions/0022). */
export const SAMPLE_SIZE = 100_000;

/**
 * Maps the number of a user to a fixed, evenly distributed 64-bit number. The users with the smallest keys are the
 * sample, so it is fair and changes only when users are added.
 */
export const sampleKey = (number: number): bigint => hash('md5', `${number}`, 'buffer').readBigInt64BE(0);

/** How many users must leave the sample, given the number of users before and the number added to it. */
export const overflow = (usersBefore: number, added: number): number =>
  Math.max(0, Math.min(usersBefore, SAMPLE_SIZE) + added - SAMPLE_SIZE);

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
