import { setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { inSlices, nextSlice, runInSlices } from '../../../src/common/concurrency/in-slices.js';

/** A clock that only work moves: a millisecond for each item. */
let now = 1_000_000;
/** The items that were done in each turn of the event loop. */
let doneInTurns: number[];

const work = () => {
  now++;
  doneInTurns[doneInTurns.length - 1]++;
};

/** Counts the turns of the event loop until the work is over. */
async function countingTurns(works: Promise<void>[]): Promise<void> {
  let isOver = false;
  const all = Promise.all(works).finally(() => (isOver = true));
  while (!isOver) {
    await turn();
    doneInTurns.push(0);
  }
  await all;
}

const items = Array.from({ length: 200 }, (_, i) => i);

function* steps(): Generator<void> {
  for (const _ of items) yield work();
}

async function awaited(): Promise<void> {
  for (const _ of items) {
    await nextSlice();
    work();
  }
}

beforeEach(() => {
  doneInTurns = [0];
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});

afterEach(() => jest.restoreAllMocks());

describe('slices', () => {
  it.each([
    // sixteen items between two looks at the clock, and the same again for each work that has just begun
    ['lists', () => inSlices(items, work), 16],
    ['steps', () => runInSlices(steps()), 9],
    ['awaited pieces', awaited, 8],
  ])('of several works at the same time do not add up: %s', async (_, begin, most) => {
    const works = Array.from({ length: 5 }, begin);
    doneInTurns.push(0);
    await countingTurns(works);
    expect(doneInTurns.reduce((sum, each) => sum + each, 0)).toBe(5 * items.length);
    expect(Math.max(...doneInTurns.slice(1))).toBeLessThanOrEqual(most);
  });

  it('let each work go on in its turn', async () => {
    const order: number[] = [];
    const works = [1, 2, 3].map(async (name) => {
      for (let piece = 0; piece < 3; piece++) {
        await nextSlice();
        order.push(name);
        now += 8;
      }
    });
    await Promise.all(works);
    expect(order).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
  });
});
