import { Bulkhead } from './bulkhead.js';

const MAX_QUEUED = 1_000;
/** Timeouts of the two waits of a long read, so that it is answered within 5 s. */
const OWNER_TURN_MS = 1_500;
const TURN_MS = 500;

/** Limits concurrent long reads of one owner, such as an account, and of all. */
export interface LongReads {
  /** Runs the work when both limits allow; rejects with `NoAnswer` after a timeout. */
  run<R>(owner: string, work: () => Promise<R>): Promise<R>;
}

/** Half of these connections for the long reads of one owner, and all but one for those of all. */
export function longReadsOn(connections: number): LongReads {
  const limit = (max: number, timeoutMs: number) =>
    new Bulkhead({
      atOnce: Math.max(1, max),
      waiting: MAX_QUEUED,
      timeoutMs,
      refusals: { tooMany: 'Too many long reads wait.', tooLong: 'Other long reads took too long.' },
    });
  const ofOwner = limit(Math.floor(connections / 2), OWNER_TURN_MS);
  const ofAll = limit(connections - 1, TURN_MS);
  return { run: (owner, work) => ofOwner.run(owner, () => ofAll.run('', work)) };
}
