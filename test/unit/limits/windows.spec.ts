import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Clock } from '../../../src/common/time/clock.js';
import { LocalWindows } from '../../../src/auth/limits/local-windows.js';
import { countInRedis, refundInRedis } from '../../../src/auth/limits/redis-windows.js';
import type { WindowUsage, RateWindow } from '../../../src/auth/limits/windows.js';
import { Metrics } from '../../../src/common/metrics/metrics.js';
import { RedisLink } from '../../../src/common/redis/redis.js';

Logger.overrideLogger(false);
const REDIS_URL = process.env.TEST_REDIS_URL;
const WINDOW: RateWindow = { key: 'WRITES:a', name: 'WRITES', limit: 2, seconds: 60 };
const OTHER: RateWindow = { key: 'CORE_READS:b', name: 'CORE_READS', limit: 10, seconds: 900 };

type Refund = (window: RateWindow, usage: WindowUsage) => Promise<void> | void;
type Count = (windows: RateWindow[]) => Promise<WindowUsage[]> | WindowUsage[];

function windowsBehave(
  name: string,
  begin: (clock: Clock) => Promise<{ count: Count; refund: Refund; end: () => void }>,
) {
  describe(name, () => {
    const clock = new Clock();
    let count: Count;
    let refund: Refund;
    let end: () => void;
    beforeEach(async () => {
      clock.set(new Date('2026-01-01T00:00:00.250Z'));
      ({ count, refund, end } = await begin(clock));
    });
    afterEach(() => end());
    const start = Date.UTC(2026, 0, 1) / 1000;

    it('counts, refuses beyond the limit, and never goes below 0', async () => {
      const seen = [];
      for (let i = 0; i < 4; i++) seen.push(...(await count([WINDOW])));
      expect(seen).toEqual(
        [1, 0, 0, 0].map((remaining, i) => ({
          name: 'WRITES',
          limit: 2,
          seconds: 60,
          remaining,
          resetAt: start + 61,
          exceeded: i > 1,
        })),
      );
    });

    it('begins a window with its first request and ends it after its period, not by the calendar', async () => {
      await count([WINDOW]);
      clock.advance(59_999);
      expect(await count([WINDOW])).toMatchObject([{ remaining: 0, resetAt: start + 61 }]);
      clock.advance(1);
      expect(await count([WINDOW])).toMatchObject([{ remaining: 1, resetAt: start + 121 }]);
      clock.advance(10_000_000);
      expect(await count([WINDOW])).toMatchObject([{ remaining: 1, exceeded: false }]);
    });

    it('begins a new window when the clock was moved back, but not for the difference of two clocks', async () => {
      await count([WINDOW]);
      clock.advance(-2_000);
      expect(await count([WINDOW])).toMatchObject([{ remaining: 0, resetAt: start + 61 }]);
      clock.advance(-3_600_000);
      expect(await count([WINDOW])).toMatchObject([{ remaining: 1, resetAt: start + 61 - 3_602 }]);
    });

    it('takes a request back while its window goes on, and never below 0', async () => {
      const [first] = await count([WINDOW]);
      await count([WINDOW]);
      await refund(WINDOW, first);
      expect(await count([WINDOW])).toMatchObject([{ remaining: 0, exceeded: false }]);
      for (let i = 0; i < 5; i++) await refund(WINDOW, first);
      expect(await count([WINDOW])).toMatchObject([{ remaining: 1 }]);
      clock.advance(60_000);
      await count([WINDOW]);
      // it was counted in the window before
      await refund(WINDOW, first);
      expect(await count([WINDOW])).toMatchObject([{ remaining: 0 }]);
    });

    it('answers in the order of the windows asked, each counted for itself', async () => {
      await count([WINDOW]);
      expect(await count([OTHER, WINDOW])).toMatchObject([
        { name: 'CORE_READS', limit: 10, remaining: 9, resetAt: start + 901 },
        { name: 'WRITES', limit: 2, remaining: 0, resetAt: start + 61 },
      ]);
      expect(await count([])).toEqual([]);
    });
  });
}

windowsBehave('windows of the process', async (clock) => {
  const windows = new LocalWindows(clock);
  return {
    count: (asked) => windows.count(asked),
    refund: (window, usage) => windows.refund(window, usage),
    end: () => undefined,
  };
});

(REDIS_URL
  ? windowsBehave
  : () => describe.skip('windows in Redis', () => it('needs TEST_REDIS_URL', () => undefined)))(
  'windows in Redis',
  async (clock) => {
    const url = new URL(REDIS_URL!);
    url.pathname = '/5';
    const link = new RedisLink({ redisUrl: url.href });
    await link.whenReady(2_000);
    const prefix = `test-${randomBytes(5).toString('hex')}:`;
    return {
      count: (asked) => countInRedis(link, prefix, asked, clock.ms()),
      refund: (window, usage) => refundInRedis(link, prefix, window, usage),
      end: () => link.close(),
    };
  },
);

describe('memory of the process', () => {
  it('is bounded: the windows least used are forgotten', () => {
    const windows = new LocalWindows(new Clock(), 3);
    for (const key of ['a', 'b', 'c', 'a', 'd']) windows.count([{ ...WINDOW, key }]);
    expect(windows.count([{ ...WINDOW, key: 'a' }])).toMatchObject([{ exceeded: true }]);
    expect(windows.count([{ ...WINDOW, key: 'b' }])).toMatchObject([{ remaining: 1 }]);
  });
});

describe('the link to Redis', () => {
  it('fails at once where there is none, and does not throw', async () => {
    const link = new RedisLink({ redisUrl: 'redis://127.0.0.1:1' });
    const started = performance.now();
    await expect(countInRedis(link, '', [WINDOW], 0)).rejects.toThrow('Redis is not available');
    await expect(link.ping()).rejects.toThrow('Redis is not available');
    // without waiting for a connection, which may take a second
    expect(performance.now() - started).toBeLessThan(900);
    expect(link.ready).toBe(false);
    expect(await link.whenReady(50)).toBe(false);
    link.close();
    expect(RedisLink.from({}, new Metrics())).toBeNull();
  });
});
