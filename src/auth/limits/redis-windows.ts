import { groupOf, groupPrefix } from '../../common/redis/key-groups.js';
import { script, type RedisLink } from '../../common/redis/redis.js';
import { TOLERANCE_MS, windowUsageOf, type WindowUsage, type RateWindow } from './windows.js';

/**
 * Lua: `count(key, seconds, now, by)` counts in a window, once unless `by` is given, and returns its count and end. The time is the service's, never
 * Redis's, so that changes of the clock apply; the expiry only removes unused keys.
 */
export const COUNT_LUA = `
local function count(key, seconds, now, by)
  by = by or 1
  local held = redis.call('HMGET', key, 'count', 'resetAt')
  local resetAt = tonumber(held[2])
  local period = seconds * 1000
  if not resetAt or resetAt <= now or resetAt > now + period + ${TOLERANCE_MS} then
    resetAt = now + period
    redis.call('HSET', key, 'count', by, 'resetAt', string.format('%.0f', resetAt))
    redis.call('PEXPIRE', key, string.format('%.0f', period + 60000))
    return by, resetAt
  end
  return redis.call('HINCRBY', key, 'count', by), resetAt
end
`;

const COUNT_ALL = script(`${COUNT_LUA}
local now = tonumber(ARGV[1])
local counts = {}
for i = 1, #KEYS do
  counts[2 * i - 1], counts[2 * i] = count(KEYS[i], tonumber(ARGV[1 + i]), now, tonumber(ARGV[1 + #KEYS + i]))
end
return counts
`);

export const windowKeys = (prefix: string, windows: RateWindow[]): string[] =>
  windows.map(({ key }) => `${prefix}window:${key}`);

/** The windows' usages from the counts and ends that a script returned for them. */
export const usagesFrom = (windows: RateWindow[], counts: number[]): WindowUsage[] =>
  windows.map((window, i) => windowUsageOf(window, counts[2 * i], counts[2 * i + 1]));

/** The group of keys of a Redis Cluster that a window belongs to. */
export const groupOfWindow = ({ key, home = key }: RateWindow): number => groupOf(home);

/** Counts a request in windows that all replicas share; in a cluster in each one at the same time, on its node. */
export async function countInRedis(
  link: RedisLink,
  prefix: string,
  windows: RateWindow[],
  now: number,
): Promise<WindowUsage[]> {
  if (!link.isCluster) return countTogether(link, prefix, windows, now);
  const usages = await Promise.all(
    windows.map((window) => countTogether(link, groupPrefix(prefix, groupOfWindow(window)), [window], now)),
  );
  return usages.flat();
}

async function countTogether(
  link: RedisLink,
  prefix: string,
  windows: RateWindow[],
  now: number,
): Promise<WindowUsage[]> {
  const values = [now, ...windows.map(({ seconds }) => seconds), ...windows.map(({ by = 1 }) => by)];
  return usagesFrom(windows, (await link.run(COUNT_ALL, windowKeys(prefix, windows), values)) as number[]);
}

const REFUND = script(`
local held = redis.call('HMGET', KEYS[1], 'count', 'resetAt')
local count, resetAt = tonumber(held[1]), tonumber(held[2])
if count and resetAt and count > 0 and math.ceil(resetAt / 1000) == tonumber(ARGV[1]) then
  redis.call('HINCRBY', KEYS[1], 'count', -1)
end
return 0
`);

/** Refunds a counted request, unless its window is over. */
export async function refundInRedis(
  link: RedisLink,
  prefix: string,
  window: RateWindow,
  { resetAt }: WindowUsage,
): Promise<void> {
  const own = link.isCluster ? groupPrefix(prefix, groupOfWindow(window)) : prefix;
  await link.run(REFUND, windowKeys(own, [window]), [resetAt]);
}
