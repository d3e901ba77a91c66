import fc from 'fast-check';
import { FairQueue, type FairQueueLimits } from '../../../src/creatives/media-inspection/fair-queue.js';

/** Work that ends when the test says so, and the order in which it began. */
function works(queue: FairQueue) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (user: string, name: string, patience?: FairQueueLimits) =>
    queue.run(
      user,
      () => {
        began.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      },
      patience,
    );
  const end = async (name: string) => {
    ends.get(name)!();
    for (let i = 0; i < 10; i++) await Promise.resolve();
  };
  return { began, start, end };
}

const refusal = (why: string) => new Error(why);

describe('a fair queue', () => {
  it('lets users take turns, each in its own order', async () => {
    const { began, start, end } = works(new FairQueue(1, 1));
    const done = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => start('a', name)),
      ...['b1', 'b2'].map((name) => start('b', name)),
      start('c', 'c1'),
    ];
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) await end(name);
    await Promise.all(done);
    expect(began).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('keeps a place free of a user who has one already', async () => {
    const { began, start, end } = works(new FairQueue(2, 1));
    const done = [...['a1', 'a2', 'a3'].map((name) => start('a', name)), start('b', 'b1')];
    expect(began).toEqual(['a1', 'b1']);
    await end('b1');
    expect(began).toEqual(['a1', 'b1']);
    for (const name of ['a1', 'a2', 'a3']) await end(name);
    await Promise.all(done);
  });

  it('refuses what would wait behind too much, of one user or of all', async () => {
    const queue = new FairQueue(1, 1);
    const { start, end } = works(queue);
    const patience = { maxQueued: 3, maxQueuedOfUser: 2, refusal };
    const done = [start('a', 'a1', patience), start('a', 'a2', patience), start('a', 'a3', patience)];
    expect(queue.hasRoom('a', patience)).toBe(false);
    expect(queue.hasRoom('b', patience)).toBe(true);
    await expect(start('a', 'a4', patience)).rejects.toThrow('too many');
    done.push(start('b', 'b1', patience));
    await expect(start('c', 'c1', patience)).rejects.toThrow('too many');
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
    await Promise.all(done);
    expect(queue.hasRoom('a', patience)).toBe(true);
  });

  it('refuses what waits for too long, and forgets it', async () => {
    const { began, start, end } = works(new FairQueue(1, 1));
    const first = start('a', 'a1');
    const late = start('b', 'b1', { maxQueued: 9, maxQueuedOfUser: 9, timeoutMs: 1, refusal });
    await expect(late).rejects.toThrow('too long');
    await end('a1');
    await first;
    expect(began).toEqual(['a1']);
  });

  it('passes its place on where work fails', async () => {
    const queue = new FairQueue(1, 1);
    await expect(queue.run('a', async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await queue.run('b', async () => 'done')).toBe('done');
  });

  it('runs everything, never more than it may, and nobody twice while somebody else waits whose turn it is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 5 })), { maxLength: 60 }),
        async (atOnce, atOncePerUser, jobs) => {
          const queue = new FairQueue(atOnce, atOncePerUser);
          const running = new Map<string, number>();
          const passedOver = new Map<string, number>();
          const waiting = new Map<string, number>();
          let runs = 0;
          const all = jobs.map(([user, length]) => {
            waiting.set(user, (waiting.get(user) ?? 0) + 1);
            return queue.run(user, async () => {
              waiting.set(user, waiting.get(user)! - 1);
              passedOver.set(user, 0);
              for (const [other, count] of waiting) {
                if (other === user || count === 0 || (running.get(other) ?? 0) >= atOncePerUser) continue;
                passedOver.set(other, (passedOver.get(other) ?? 0) + 1);
                // three others at most, each once or in a place that nobody else could take
                expect(passedOver.get(other)).toBeLessThanOrEqual(3 + atOnce);
              }
              running.set(user, (running.get(user) ?? 0) + 1);
              runs++;
              expect(runs).toBeLessThanOrEqual(atOnce);
              expect(running.get(user)).toBeLessThanOrEqual(atOncePerUser);
              for (let i = 0; i < length; i++) await Promise.resolve();
              running.set(user, running.get(user)! - 1);
              runs--;
              return user;
            });
          });
          expect(await Promise.all(all)).toEqual(jobs.map(([user]) => user));
        },
      ),
    );
  });
});
