import { Redis } from 'ioredis';
import { WRITES_LUA } from '../../../src/common/db/read-replicas/remembered-writes.js';
import { REDIS_URL } from './replay-world.js';

(REDIS_URL ? describe : describe.skip)('remembered writes', () => {
  const KEY = `writes-spec:${process.pid}`;
  let redis: Redis;
  const remember = (token: string, now: number, ms: number) =>
    redis.eval(`${WRITES_LUA} remember(KEYS[1], ARGV[1], ${now}, ${ms})`, 1, KEY, token);
  const recall = (now: number) => redis.eval(`${WRITES_LUA} return {recall(KEYS[1], ${now})}`, 1, KEY);

  beforeAll(() => {
    redis = new Redis(REDIS_URL!);
  });
  afterEach(() => redis.del(KEY));
  afterAll(() => redis.disconnect());

  it('that nobody ended are removed by a read after their time', async () => {
    await remember('failed', 1_000, 75_000);
    await redis.hset(KEY, 'at', 'position');
    await remember('in progress', 60_000, 75_000);
    expect(await recall(70_000)).toEqual([1, 'position']);
    expect(await redis.hkeys(KEY)).toEqual(['failed', 'at', 'in progress']);
    expect(await recall(80_000)).toEqual([1, 'position']);
    expect(await redis.hkeys(KEY)).toEqual(['at', 'in progress']);
    expect(await recall(140_000)).toEqual([0, 'position']);
    expect(await redis.hkeys(KEY)).toEqual(['at']);
  });

  it('do not pile up where an owner only writes', async () => {
    for (let i = 0; i < 1_000; i++) await remember(`failed ${i}`, 1_000 * i, 75_000);
    expect(await redis.hlen(KEY)).toBeLessThan(300);
    expect(await recall(1_000_000)).toEqual([1, '']);
  });
});
