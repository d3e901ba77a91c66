import { randomUUID } from 'node:crypto';
import { COUNT_LUA, usagesFrom, windowKeys } from '../limits/redis-windows.js';
import { type RememberedWrites, WRITES_LUA, writesKeys } from '../../common/db/read-replicas/remembered-writes.js';
import { script, UNIDENTIFIED_SERVER, type RedisLink, type Script } from '../../common/redis/redis.js';
import type { Clock } from '../../common/time/clock.js';
import { WINDOW_SECONDS } from './signed-nonce.js';
import type { NonceAnswer, NonceStore, NonceAttempt } from './nonce-store.js';

/** A connection that was merely interrupted is restored within this time. */
const RECONNECT_PATIENCE_MS = 150;
/**
 * When this process is delayed, its commands time out although Redis has answered: then Redis is not considered
 * unavailable.
 */
const MAX_TRIES = 3;
/** Redis expires keys by its own clock, which may drift from this one. */
const EXPIRY_MARGIN_SECONDS = 60;

const FRESH = 1;
const USED = 0;
const LOST = -1;

/** The number of keys and of arguments before those of the windows, and of owners. */
const KEYS = 2;
const ARGUMENTS = 5;

/**
 * Lua: takes a nonce. KEYS: generation, nonce. ARGV: identity of the server process, expected generation, token of the
 * attempt, expiry, now. Where another server may take over, the identity is empty and read here: each promotion changes
 * `master_replid`.
 *
 * A new generation begins where there is none, and where the one found was begun by another server process: a snapshot
 * brings the generation back, but not the nonces that were recorded after it was taken.
 */
const TAKE_LUA = `
local generation = redis.call('GET', KEYS[1])
local server = ARGV[1]
if server == '' then
  server = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') .. ':'
  if generation and ARGV[2] == '' then redis.call('SET', KEYS[1], generation) end
end
if not generation or string.sub(generation, 1, #server) ~= server then
  generation = server .. ARGV[3]
  redis.call('SET', KEYS[1], generation)
end
if generation ~= ARGV[2] then return {${LOST}, generation} end
local again = not redis.call('SET', KEYS[2], ARGV[3], 'NX', 'EX', ARGV[4])
if again and redis.call('GET', KEYS[2]) ~= ARGV[3] then return {${USED}} end
local now = tonumber(ARGV[${ARGUMENTS}])
local answer = {${FRESH}}
`;

/**
 * Lua: counts the windows, whose keys follow `keys` others, and whose lengths in seconds follow `values` others. An attempt
 * that is repeated because its answer was lost has counted.
 */
const countLua = (keys: string, values: string) => `
local from = #answer - 1
for i = 1, #KEYS - (${keys}) do
  answer[from + 2 * i], answer[from + 2 * i + 1] = count(KEYS[i + ${keys}], tonumber(ARGV[i + ${values}]), now, again and 0 or 1)
end
return answer
`;

/** Decides on a nonce and counts its windows in one round trip. */
const TAKE_NONCE = script(`${COUNT_LUA}${TAKE_LUA}${countLua(`${KEYS}`, `${ARGUMENTS}`)}`);

/**
 * The same, and remembers a write of some owners, or recalls their writes. Their keys precede those of the windows.
 * ARGV before the windows: the number of owners, whether it is a write, and how long it is remembered.
 */
const TAKE_NONCE_OF = script(`${COUNT_LUA}${WRITES_LUA}${TAKE_LUA}
local owners = tonumber(ARGV[${ARGUMENTS + 1}])
local writing, position = 0, ''
for i = 1, owners do
  local key = KEYS[${KEYS} + i]
  if ARGV[${ARGUMENTS + 2}] == '1' then remember(key, ARGV[3], now, tonumber(ARGV[${ARGUMENTS + 3}]))
  else
    local busy, at = recall(key, now)
    if busy == 1 then writing = 1 end
    position = later(position, at)
  end
end
answer[2], answer[3] = writing, position
${countLua(`${KEYS} + owners`, `${ARGUMENTS + 3}`)}`);

/** Nonces in Redis, which all replicas share. */
export class RedisNonceStore implements NonceStore {
  constructor(
    private readonly link: RedisLink,
    private readonly prefix: string,
    private readonly clock: Pick<Clock, 'ms'>,
  ) {}

  async generation(): Promise<string> {
    // No generation has an empty name: nothing is looked up, and the reply has the current one. Where another server
    // may take over, it is written again: a server that takes no writes is not healthy.
    const [, generation] = await this.run('', [`${this.prefix}nonce:`], [randomUUID(), 1, this.clock.ms()]);
    return generation as string;
  }

  async take({ digest, timestamp, token, windows, access }: NonceAttempt, generation: string): Promise<NonceAnswer> {
    const now = this.clock.ms();
    const expiry = Math.ceil(timestamp + WINDOW_SECONDS - now / 1000) + EXPIRY_MARGIN_SECONDS;
    const [verdict, ...rest] = await this.run(
      generation,
      [
        `${this.prefix}nonce:${digest}`,
        ...(access ? writesKeys(this.prefix, access.owners) : []),
        ...windowKeys(this.prefix, windows),
      ],
      [
        token,
        Math.max(EXPIRY_MARGIN_SECONDS, expiry),
        now,
        ...(access ? [access.owners.length, Number(access.isWrite), access.rememberedMs] : []),
        ...windows.map(({ seconds }) => seconds),
      ],
      access ? TAKE_NONCE_OF : TAKE_NONCE,
    );
    if (verdict === USED) return { verdict: 'used' };
    if (verdict !== FRESH) return { verdict: 'lost', generation: rest[0] as string };
    const remembered = access && rememberedFrom(rest.splice(0, 2));
    const usages = usagesFrom(windows, rest as number[]);
    return { verdict: 'fresh', usages, ...(remembered && { remembered }) };
  }

  /** Only if the server process is the same: another one may have replaced it for this process but not for all. */
  isFenced(lost: string, present: string): boolean {
    const server = serverOf(present);
    return server !== UNIDENTIFIED_SERVER && serverOf(lost) === server;
  }

  /**
   * Runs the script, and retries after a failure that may only be a local delay; the token of the attempt makes that
   * safe.
   */
  private async run(
    generation: string,
    keys: string[],
    values: (string | number)[],
    code = TAKE_NONCE,
  ): Promise<unknown[]> {
    for (let tries = 1; ; tries++) {
      if (!this.link.ready) await this.link.whenReady(RECONNECT_PATIENCE_MS);
      try {
        return await this.runOnce(code, generation, keys, values);
      } catch (error) {
        if (tries >= MAX_TRIES || !(await this.link.whenReady(RECONNECT_PATIENCE_MS))) throw error;
      }
    }
  }

  private async runOnce(
    code: Script,
    generation: string,
    keys: string[],
    values: (string | number)[],
  ): Promise<unknown[]> {
    const server = this.link.serverIdentity;
    const all = [this.link.mayFailOver ? '' : `${server}:`, generation, ...values];
    const answer = (await this.link.run(code, [`${this.prefix}nonces:generation`, ...keys], all)) as unknown[];
    if (answer[0] === LOST && !(await this.link.isPrimary(server))) throw new Error('Another Redis is the primary now');
    return answer;
  }
}

const serverOf = (generation: string) => generation.split(':', 1)[0];

function rememberedFrom([writing, position]: unknown[]): RememberedWrites {
  return { writing: writing === 1, ...(position !== '' && { position: position as string }) };
}
