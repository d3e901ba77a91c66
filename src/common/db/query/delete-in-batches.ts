import type { Rows } from './rows.js';

interface Bounds {
  /** Rows per statement. */
  batch: number;
  /** Maximum number of statements; the rest is left for the next run. */
  max?: number;
  /** Stops it early. */
  signal?: AbortSignal;
}

/** Deletes rows in small batches, so that no other statement waits; returns the number of deleted rows. */
export async function deleteInBatches(
  rows: Pick<Rows<never>, 'deleteSome'>,
  { batch, max = Infinity, signal }: Bounds,
): Promise<number> {
  let deleted = 0;
  for (let i = 0; i < max && !signal?.aborted; i++) {
    const gone = await rows.deleteSome(batch);
    deleted += gone;
    if (gone < batch) break;
  }
  return deleted;
}
