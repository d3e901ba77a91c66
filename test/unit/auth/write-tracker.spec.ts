import { setTimeout as pause } from 'node:timers/promises';
import { Epoch } from '../../../src/auth/replay/epoch.js';
import type { NonceStoreKind } from '../../../src/auth/replay/nonce-store.js';
import { WriteTracker } from '../../../src/auth/replay/write-tracker.js';
import type { Script } from '../../../src/common/redis/redis.js';
import type { RedisLink } from '../../../src/common/redis/redis.js';

const MAX_LAG_MS = 200;
const POSITION = '000000010000000000000010';

/** A Redis that only records which scripts ran. */
class FakeRedis {
  calls: { keys: string[]; values: (string | number)[] }[] = [];
  isAway = false;
  processes = ['own', 'other'];

  async run({ text }: Script, keys: string[], values: (string | number)[]): Promise<unknown> {
    if (this.isAway) throw new Error('Redis is not available');
    if (text.includes('ZRANGE')) return this.processes;
    this.calls.push({ keys, values });
    return 0;
  }
}

const epochOf = (store: NonceStoreKind, beganAt = 0, number = 1) =>
  new Epoch({ number, beganAt, store, generation: 'g' });

describe('the tracker of writes', () => {
  let now: number;
  let redis: FakeRedis;
  let epochs: {
    id: string;
    current: Epoch | undefined;
    whenCurrent: () => Promise<Epoch | undefined>;
    isInForce: (epoch: Epoch) => boolean;
    processes: () => Promise<string[]>;
  };
  let found: (position: string | undefined) => void;
  let tracker: WriteTracker;
  const remembered = { writing: false, position: POSITION };
  const access = () => tracker.access(['account', 'user'], false);
  const write = (epoch: Epoch) => ({ owners: ['account'], token: 't1', epoch, admittedAt: now });
  const endedAfter = async (ms: number, epoch: Epoch) => {
    const begun = write(epoch);
    now += ms;
    const began = performance.now();
    await tracker.finishWrite(begun);
    return performance.now() - began;
  };

  beforeEach(async () => {
    now = 1_000_000;
    redis = new FakeRedis();
    epochs = {
      id: 'own',
      current: epochOf('redis'),
      whenCurrent: async () => epochs.current,
      isInForce: (epoch) => epochs.current === epoch,
      processes: async () => ['own', 'other'],
    };
    const position = new Promise<string | undefined>((resolve) => (found = resolve));
    const replicas = { maxLagMs: MAX_LAG_MS, nextPosition: () => position };
    tracker = new WriteTracker(replicas, redis as unknown as RedisLink, 'p:', { ms: () => now }, epochs);
    await tracker.start();
    await pause(700);
  });
  afterEach(async () => {
    found(undefined);
    await tracker.stop();
  });

  it('lets a read use a replica that has replayed the last write', () => {
    expect(tracker.freshness(epochs.current!, access(), remembered)).toEqual({ owner: 'account', position: POSITION });
    expect(tracker.freshness(epochs.current!, access(), { writing: true, position: POSITION })).toEqual({
      owner: 'account',
      primaryBecause: 'writing',
    });
  });

  it('sends reads to the primary without Redis, and until replicas have what an earlier epoch wrote', () => {
    const unknown = { owner: 'account', primaryBecause: 'unknown' };
    expect(tracker.freshness(epochOf('table'), access(), undefined)).toEqual(unknown);
    expect(tracker.freshness(epochOf('redis', now - MAX_LAG_MS - 4_900), access(), remembered)).toEqual(unknown);
    expect(tracker.freshness(epochOf('redis', now - MAX_LAG_MS - 5_000), access(), remembered)).toHaveProperty(
      'position',
    );
  });

  it('sends reads to the primary while a process does not remember its writes', async () => {
    epochs.processes = async () => ['own', 'other', 'of an older release'];
    await pause(700);
    expect(tracker.freshness(epochs.current!, access(), remembered)).toHaveProperty('primaryBecause', 'unknown');
    epochs.processes = async () => ['own'];
    await pause(700);
    expect(tracker.freshness(epochs.current!, access(), remembered)).toHaveProperty('position');
  });

  it('stores one position for all writes that ended meanwhile, and lets none wait', async () => {
    for (const token of ['t1', 't2']) await tracker.finishWrite({ ...write(epochs.current!), token });
    expect(redis.calls).toEqual([]);
    found(POSITION);
    await pause(0);
    const [{ keys, values }] = redis.calls;
    expect(redis.calls).toHaveLength(1);
    expect(keys).toEqual(['p:writes:account', 'p:writes:account']);
    expect([values[0], ...values.slice(2)]).toEqual([POSITION, 't1', 't2']);
  });

  it('remembers a write without a nonce before it begins, or before it is answered', async () => {
    const own = { owners: ['account'], token: 't1' };
    const begun = await tracker.begin(own);
    expect(redis.calls).toMatchObject([{ keys: ['p:writes:account'], values: ['t1', now, expect.any(Number)] }]);
    await tracker.finishWrite(begun);
    expect(redis.calls).toHaveLength(1);
    redis.isAway = true;
    const forgotten = await tracker.begin({ ...own, token: 't2' });
    redis.isAway = false;
    await tracker.finishWrite(forgotten);
    expect(redis.calls).toMatchObject([{}, { values: ['t2', now, expect.any(Number)] }]);
    const redisEpoch = epochs.current;
    epochs.current = epochOf('table');
    const inTable = await tracker.begin({ ...own, token: 't3' });
    expect(redis.calls).toHaveLength(2);
    epochs.current = redisEpoch;
    await tracker.finishWrite(inTable);
    expect(redis.calls[2]).toMatchObject({ values: ['t3', now, expect.any(Number)] });
  });

  it('remembers a write again that took long, or ended in another epoch of Redis', async () => {
    expect(await endedAfter(10_001, epochs.current!)).toBeLessThan(MAX_LAG_MS);
    expect(redis.calls).toMatchObject([{ keys: ['p:writes:account'], values: ['t1', now, expect.any(Number)] }]);
    const last = epochs.current!;
    epochs.current = epochOf('redis', now, 2);
    await endedAfter(10, last);
    expect(redis.calls).toHaveLength(2);
  });

  it('needs no memory of a write in an epoch without Redis', async () => {
    const last = epochs.current!;
    epochs.current = epochOf('table', now, 2);
    expect(await endedAfter(10, last)).toBeLessThan(MAX_LAG_MS);
    found(POSITION);
    await pause(0);
    expect(redis.calls).toEqual([]);
  });

  it('answers a write that it cannot remember only when every replica in use has replayed it', async () => {
    redis.isAway = true;
    const last = epochs.current!;
    epochs.current = epochOf('redis', now, 2);
    expect(await endedAfter(10, last)).toBeGreaterThanOrEqual(MAX_LAG_MS - 5);
    epochs.current = undefined;
    expect(await endedAfter(10, last)).toBeGreaterThanOrEqual(MAX_LAG_MS - 5);
  });
});
