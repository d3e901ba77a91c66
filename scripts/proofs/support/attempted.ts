import { Missing } from './child.js';
import type { Figure } from './table.js';

/** What was measured; what could not be is a promise that was not kept, and does not keep others from being measured. */
export async function attempted(work: () => Promise<Figure[]>): Promise<Figure[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Missing)) console.error(error);
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return [{ name: 'could not be made', measured: why, promise: 'can be made', ok: false }];
  }
}
