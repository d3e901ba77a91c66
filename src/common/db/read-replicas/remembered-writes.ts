import { script, type RedisLink } from '../../redis/redis.js';
import type { WalPosition } from '../query/freshness.js';

/** Whose rows a request reads or writes: the ids of an account and of a user. */
export interface RowOwners {
  owners: readonly string[];
  isWrite: boolean;
  /** For a write: how long it is remembered, in milliseconds. */
  rememberedMs: number;
}

/** The remembered writes of the owners of a request. */
export interface RememberedWrites {
  /** Whether one is in progress, or its position is not known yet. */
  writing: boolean;
  /** The position of the last one; absent if there was none recently. */
  position?: WalPosition;
}

/** A write by its owners, and the token under which they remember it. */
export interface WriteToken {
  owners: readonly string[];
  token: string;
}

/** Maximum number of keys of one script call. */
const BATCH = 500;
/** With more writes of an owner, those that nobody ended are removed before the next. */
const MANY = 200;

/**
 * Lua. The writes of an owner are a hash: `at` is the position of the last one; any other field is the token of a write
 * whose position is not known yet, with the time until which it counts. A failed write has no position: its field is
 * removed after that time.
 */
export const WRITES_LUA = `
local function later(one, other)
  if one == '' then return other end
  if other == '' then return one end
  local timeline = math.max(tonumber(string.sub(one, 1, 8), 16), tonumber(string.sub(other, 1, 8), 16))
  local a, b = string.sub(one, 9), string.sub(other, 9)
  return string.format('%08x', timeline) .. (a > b and a or b)
end
local function recall(key, now)
  local held = redis.call('HGETALL', key)
  local writing, position = 0, ''
  for i = 1, #held, 2 do
    if held[i] == 'at' then position = held[i + 1]
    elseif tonumber(held[i + 1]) > now then writing = 1
    else redis.call('HDEL', key, held[i]) end
  end
  return writing, position
end
local function remember(key, token, now, ms)
  if redis.call('HLEN', key) > ${MANY} then recall(key, now) end
  redis.call('HSET', key, token, string.format('%.0f', now + ms))
  redis.call('PEXPIRE', key, string.format('%.0f', ms))
end
`;

/** The keys of the writes of some owners. */
export const writesKeys = (prefix: string, owners: readonly string[]): string[] =>
  owners.map((owner) => `${prefix}writes:${owner}`);

/** KEYS: one for each owner. ARGV: token, now, milliseconds. */
const REMEMBER = script(`${WRITES_LUA}
for i = 1, #KEYS do remember(KEYS[i], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])) end
return 0
`);

/** KEYS: one for each owner of each write. ARGV: position, milliseconds, and the token for each key. */
const LOCATE = script(`${WRITES_LUA}
for i = 1, #KEYS do
  local key = KEYS[i]
  redis.call('HDEL', key, ARGV[i + 2])
  redis.call('HSET', key, 'at', later(redis.call('HGET', key, 'at') or '', ARGV[1]))
  redis.call('PEXPIRE', key, ARGV[2])
end
return 0
`);

/** KEYS: the processes. ARGV: the id of this one, now, milliseconds until a silent one is forgotten. */
const ANNOUNCE = script(`
local now, ms = tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ms))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);

/** Announces that this process remembers its writes, and returns the ids of all processes that do. */
export async function announceProcess(
  link: RedisLink,
  prefix: string,
  id: string,
  now: number,
  forgottenMs: number,
): Promise<ReadonlySet<string>> {
  return new Set((await link.run(ANNOUNCE, [`${prefix}writers`], [id, now, forgottenMs])) as string[]);
}

/** Remembers a write whose position is not known yet. */
export async function rememberWrite(
  link: RedisLink,
  prefix: string,
  { owners, token }: WriteToken,
  now: number,
  rememberedMs: number,
): Promise<void> {
  await link.run(REMEMBER, writesKeys(prefix, owners), [token, now, rememberedMs]);
}

/** Remembers the position of writes that have ended: each is at or before it. */
export async function locateWrites(
  link: RedisLink,
  prefix: string,
  writes: readonly WriteToken[],
  position: WalPosition,
  rememberedMs: number,
): Promise<void> {
  const all = writes.flatMap(({ owners, token }) => writesKeys(prefix, owners).map((key) => ({ key, token })));
  for (let from = 0; from < all.length; from += BATCH) {
    const batch = all.slice(from, from + BATCH);
    await link.run(
      LOCATE,
      batch.map(({ key }) => key),
      [position, rememberedMs, ...batch.map(({ token }) => token)],
    );
  }
}
