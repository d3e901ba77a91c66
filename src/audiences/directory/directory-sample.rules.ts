import { hash } from 'node:crypto';

/** How many users estimates are counted over; where there are fewer, over all of them (docs/decisions/0022). */
export const SAMPLE_SIZE = 100_000;

/**
 * Where the number of a user stands among 64-bit numbers: always at the same place, and at any with the same chance. The
 * users with the least keys are the sample, so that it is a fair one, and changes only where users are added.
 */
export const sampleKey = (number: number): bigint => hash('md5', `${number}`, 'buffer').readBigInt64BE(0);

/** How many of the sample have to go, of which there were so many users before and so many were put into it now. */
export const overflow = (usersBefore: number, added: number): number =>
  Math.max(0, Math.min(usersBefore, SAMPLE_SIZE) + added - SAMPLE_SIZE);
