import { setImmediate as turn } from 'node:timers/promises';

/** Maximum time of work before it yields to other requests, in milliseconds. */
const SLICE_MS = 8;
/** Number of items between checks of the time. */
const BETWEEN_LOOKS = 16;

/** Processes each item in order, in slices: it yields to other requests in between. */
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

/**
 * For asynchronous work: await the returned function before each item; it yields to other requests when a slice is
 * over.
 */
export function sliceYielder(): () => Promise<void> {
  let until = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < until) return;
    await turn();
    until = performance.now() + SLICE_MS;
  };
}

/** Carries out work that yields where others may come between. */
export async function runInSlices(work: Iterable<void>): Promise<void> {
  let until = performance.now() + SLICE_MS;
  for (const _ of work) {
    if (performance.now() < until) continue;
    await turn();
    until = performance.now() + SLICE_MS;
  }
}
