import { randomUUID } from 'node:crypto';
import { COUNT_LUA, usagesFrom, windowKeys } from '../../common/limits/redis-windows.js';
import { script, UNNAMED, type RedisLink } from '../../common/redis/redis.js';
import type { Clock } from '../../common/clock.js';
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

/**
 * Decides on a nonce and counts its windows in one round trip. KEYS: generation, nonce, windows. ARGV: identity of the
 * server process, expected generation, token of the attempt, expiry, now, lengths of the windows in seconds.
 *
 * A new generation begins where there is none, and where the one found was begun by another server process: a snapshot
 * brings the generation back, but not the nonces that were recorded after it was taken.
 */
const TAKE_NONCE = script(`${COUNT_LUA}
local generation = redis.call('GET', KEYS[1])
if not generation or string.sub(generation, 1, #ARGV[1]) ~= ARGV[1] then
  generation = ARGV[1] .. ARGV[3]
  redis.call('SET', KEYS[1], generation)
end
if generation ~= ARGV[2] then return {${LOST}, generation} end
if not redis.call('SET', KEYS[2], ARGV[3], 'NX', 'EX', ARGV[4]) and redis.call('GET', KEYS[2]) ~= ARGV[3] then
  return {${USED}}
end
local now = tonumber(ARGV[5])
local answer = {${FRESH}}
for i = 3, #KEYS do
  answer[2 * i - 4], answer[2 * i - 3] = count(KEYS[i], tonumber(ARGV[3 + i]), now)
end
return answer
`);

/** Nonces in Redis, which all replicas share. */
export class RedisNonceStore implements NonceStore {
  constructor(
    private readonly link: RedisLink,
    private readonly prefix: string,
    private readonly clock: Pick<Clock, 'ms'>,
  ) {}

  async generation(): Promise<string> {
    // No generation has an empty name: nothing is looked up, and the reply has the current one.
    const [, generation] = await this.run('', [`${this.prefix}nonce:`], [randomUUID(), 1, this.clock.ms()]);
    return generation as string;
  }

  async take({ digest, timestamp, token, windows }: NonceAttempt, generation: string): Promise<NonceAnswer> {
    const now = this.clock.ms();
    const expiry = Math.ceil(timestamp + WINDOW_SECONDS - now / 1000) + EXPIRY_MARGIN_SECONDS;
    const [verdict, ...rest] = await this.run(
      generation,
      [`${this.prefix}nonce:${digest}`, ...windowKeys(this.prefix, windows)],
      [token, Math.max(EXPIRY_MARGIN_SECONDS, expiry), now, ...windows.map(({ seconds }) => seconds)],
    );
    if (verdict === FRESH) return { verdict: 'fresh', usages: usagesFrom(windows, rest as number[]) };
    return verdict === USED ? { verdict: 'used' } : { verdict: 'lost', generation: rest[0] as string };
  }

  /** Only if the server process is the same: another one may have replaced it for this process but not for all. */
  isFenced(lost: string, present: string): boolean {
    const server = serverOf(present);
    return server !== UNNAMED && serverOf(lost) === server;
  }

  /**
   * Runs the script, and retries after a failure that may only be a local delay; the token of the attempt makes that
   * safe.
   */
  private async run(generation: string, keys: string[], values: (string | number)[]): Promise<unknown[]> {
    for (let tries = 1; ; tries++) {
      if (!this.link.ready) await this.link.whenReady(RECONNECT_PATIENCE_MS);
      try {
        return await this.runOnce(generation, keys, values);
      } catch (error) {
        if (tries >= MAX_TRIES || !(await this.link.whenReady(RECONNECT_PATIENCE_MS))) throw error;
      }
    }
  }

  private async runOnce(generation: string, keys: string[], values: (string | number)[]): Promise<unknown[]> {
    const all = [`${this.link.serverIdentity}:`, generation, ...values];
    return (await this.link.run(TAKE_NONCE, [`${this.prefix}nonces:generation`, ...keys], all)) as unknown[];
  }
}

const serverOf = (generation: string) => generation.split(':', 1)[0];
