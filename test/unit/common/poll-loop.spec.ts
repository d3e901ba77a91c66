import { setTimeout as pause } from 'node:timers/promises';
import { PollLoop } from '../../../src/common/concurrency/poll-loop.js';

const noFailure = (error: unknown) => {
  throw error;
};

describe('PollLoop', () => {
  it('tells a round that the loop stops', async () => {
    let rounds = 0;
    const loop = new PollLoop(
      async (signal) => {
        rounds++;
        while (!signal.aborted) await pause(1);
      },
      noFailure,
      { minMs: 1, maxMs: 10_000 },
    );
    loop.start();
    await pause(20);
    await loop.stop();
    expect(rounds).toBe(1);
  });

  it('tries again after one pause, not two', async () => {
    const maxMs = 100;
    const began: number[] = [];
    const loop = new PollLoop(
      async () => {
        began.push(performance.now());
        throw new Error('not yet');
      },
      () => undefined,
      { minMs: 1, maxMs },
    );
    loop.start();
    while (began.length < 8) await pause(5);
    await loop.stop();
    const shortest = Math.min(...began.slice(1).map((at, i) => at - began[i]));
    expect(shortest).toBeGreaterThan(maxMs * 0.9);
    expect(shortest).toBeLessThan(maxMs * 1.9);
  });
});
