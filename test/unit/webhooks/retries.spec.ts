import { WEBHOOK_RETRY_SECONDS } from '../../../src/config/config.js';
import { pauseAfter } from '../../../src/webhooks/deliveries/retries.js';

const after = (attempts: number, random = 0, retryAfter?: number) =>
  pauseAfter(attempts, WEBHOOK_RETRY_SECONDS, random, retryAfter);

describe('the pause after a failed attempt', () => {
  it('grows from ten seconds to ten hours, after which it is given up', () => {
    const pauses = Array.from({ length: 7 }, (_, n) => after(n + 1)! / 1_000);
    expect(pauses).toEqual([10, 60, 300, 1_800, 7_200, 18_000, 36_000]);
    expect(after(8)).toBeUndefined();
    expect(pauseAfter(1, [], 0)).toBeUndefined();
  });

  it('is up to a fifth longer by chance', () => {
    expect([after(1, 0.5), after(1, 1), after(7, 1)]).toEqual([11_000, 12_000, 43_200_000]);
  });

  it('is as long as the webhook asks where that is longer, up to ten hours', () => {
    expect(after(1, 0, 5)).toBe(10_000);
    expect(after(1, 0, 600)).toBe(600_000);
    expect(after(1, 0, 10_000_000)).toBe(43_200_000);
    expect(after(8, 0, 600)).toBeUndefined();
  });
});
