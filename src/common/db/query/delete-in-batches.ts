import type { Rows } from './rows.js';

interface Bounds {
  /** Rows of one statement. */
  batch: number;
  /** Statements at most; what is left is for another time. */
  most?: number;
  /** Ends it early. */
  signal?: AbortSignal;
}

/** Deletes rows a little at a time, so that nothing waits for it; answers how many were deleted. */
export async function deleteInBatches(
  rows: Pick<Rows<never>, 'deleteSome'>,
  { batch, most = Infinity, signal }: Bounds,
): Promise<number> {
  let deleted = 0;
  for (let i = 0; i < most && !signal?.aborted; i++) {
    const gone = await rows.deleteSome(batch);
    deleted += gone;
    if (gone < batch) break;
  }
  return deleted;
}
