import { setImmediate as turn } from 'node:timers/promises';

/** How long work goes on before others have their turn, in milliseconds. */
const SLICE_MS = 8;
/** How many items are worked on before the time is looked at. */
const BETWEEN_LOOKS = 16;

/** Does the work for each item in its order, a slice at a time: other requests have their turn in between. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let until = performance.now() + SLICE_MS;
  let done = 0;
  for (const item of items) {
    work(item);
    if (++done % BETWEEN_LOOKS !== 0 || performance.now() < until) continue;
    await turn();
    until = performance.now() + SLICE_MS;
  }
}

/** For work that waits in between: what it returns is awaited before each piece, and lets others have their turn once a slice is over. */
export function sliced(): () => Promise<void> {
  let until = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < until) return;
    await turn();
    until = performance.now() + SLICE_MS;
  };
}
