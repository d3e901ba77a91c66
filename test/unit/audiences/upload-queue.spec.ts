import { jest } from '@jest/globals';
import { MAX_QUEUED, PATIENCE_MS, UploadQueue } from '../../../src/audiences/audience-users/upload-queue.js';
import type { ApiError } from '../../../src/common/errors/api-error.js';
import { NoAnswer } from '../../../src/common/errors/unavailable.js';

/** Work that ends when it is told to. */
function heldWork() {
  const ends: (() => void)[] = [];
  return { ends, work: () => new Promise<void>((resolve) => ends.push(resolve)) };
}

describe('the queue of uploads', () => {
  afterEach(() => jest.useRealTimers());

  it('carries those to one audience out one after another, in their order', async () => {
    const queue = new UploadQueue();
    const done: number[] = [];
    let underway = 0;
    const uploads = Array.from({ length: 12 }, (_, n) =>
      queue.run('a', async () => {
        expect(++underway).toBe(1);
        await new Promise(setImmediate);
        underway--;
        done.push(n);
      }),
    );
    await Promise.all(uploads);
    expect(done).toEqual(Array.from({ length: 12 }, (_, n) => n));
  });

  it('refuses at once what could not wait, and leaves other audiences alone', async () => {
    const queue = new UploadQueue();
    const { ends, work } = heldWork();
    const held = Array.from({ length: 1 + MAX_QUEUED }, () => queue.run('a', work));
    const refusal = (await queue.run('a', work).catch((error: unknown) => error)) as ApiError;
    expect(refusal).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS', headers: { 'retry-after': '5' } });
    expect(() => queue.assertRoom('a')).toThrow(refusal.message);
    expect(() => queue.assertRoom('b')).not.toThrow();
    expect(await queue.run('b', async () => 'stored')).toBe('stored');
    for (let n = 0; n <= MAX_QUEUED; n++) {
      ends[n]();
      await new Promise(setImmediate);
    }
    await Promise.all(held);
    expect(() => queue.assertRoom('a')).not.toThrow();
  });

  it('waits for a bounded time', async () => {
    jest.useFakeTimers();
    const queue = new UploadQueue();
    const { ends, work } = heldWork();
    const first = queue.run('a', work);
    const second = queue.run('a', work).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(PATIENCE_MS);
    expect(await second).toBeInstanceOf(NoAnswer);
    ends[0]();
    await first;
  });
});
