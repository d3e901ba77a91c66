/**
 * Thrown by a write one of whose preconditions found that a row which the write was planned with, and which came from a
 * cache, is stored otherwise by now. Nothing was written.
 */
export class StaleReference extends Error {
  /** `what` names the kind of row, for the log. */
  constructor(what: string) {
    super(`A cached ${what} is not what is stored any more.`);
  }
}

/** Each attempt fails only if a row was changed between its read and its write, on another replica. */
const MAX_ATTEMPTS = 5;

/**
 * Runs work that plans a write with rows from caches. When it throws StaleReference the caches are cleared and it is run
 * again, five times at most; the last StaleReference is thrown on, and answered with 503. The work has to be all of the
 * write, its reads through the caches and its transaction included.
 */
export async function withFreshReferences<R>(caches: readonly { clear(): void }[], work: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StaleReference) || attempt >= MAX_ATTEMPTS) throw error;
      for (const cache of caches) cache.clear();
    }
  }
}
