import { Bulkhead } from './bulkhead.js';

const MAX_QUEUED = 1_000;
/** Timeout of each of the two waits of a long read, so that it is answered within 5 s. */
const TURN_MS = 1_000;

/** Limits concurrent long reads of one owner, such as an account, and of all. */
export interface LongReads {
  /** Runs the work when both limits allow; rejects with `NoAnswer` after a timeout. */
  run<R>(owner: string, work: () => Promise<R>): Promise<R>;
}

/** Half of these connections for the long reads of one owner, and all but one for those of all. */
export function longReadsOn(connections: number): LongReads {
  const [ofOwner, ofAll] = [Math.floor(connections / 2), connections - 1].map(
    (most) =>
      new Bulkhead({
        atOnce: Math.max(1, most),
        waiting: MAX_QUEUED,
        timeoutMs: TURN_MS,
        refusals: { tooMany: 'Too many long reads wait.', tooLong: 'Other long reads took too long.' },
      }),
  );
  return { run: (owner, work) => ofOwner.run(owner, () => ofAll.run('', work)) };
}
