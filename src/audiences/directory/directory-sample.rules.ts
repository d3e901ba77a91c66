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
