import { setImmediate as turn } from 'node:timers/promises';

/** Maximum time of work before it yields to other requests, in milliseconds. */
const SLICE_MS = 8;
/** Number of items between checks of the time. */
const BETWEEN_LOOKS = 16;

/** When the slice of this turn of the event loop ends. It is one for all work, so that many uploads together block no longer. */
let sliceEnds = 0;
/** The turns of all work that waits for one, in order. */
let turns: Promise<void> = Promise.resolve();

const isOver = (): boolean => performance.now() >= sliceEnds;

/** Await it before each item of asynchronous work: it yields to other requests when the slice is over. */
export async function nextSlice(): Promise<void> {
  if (isOver()) await nextTurn();
}

function nextTurn(): Promise<void> {
  turns = turns.then(async () => {
    await turn();
    sliceEnds = performance.now() + SLICE_MS;
  });
  return turns;
}

/** Processes each item in order, in slices: it yields to other requests in between. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let done = 0;
  for (const item of items) {
    work(item);
    if (++done % BETWEEN_LOOKS === 0 && isOver()) await nextTurn();
  }
}

/** Carries out work that yields where others may come between. */
export async function runInSlices(work: Iterable<void>): Promise<void> {
  for (const _ of work) if (isOver()) await nextTurn();
}
