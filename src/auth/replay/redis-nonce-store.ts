import { randomUUID } from 'node:crypto';
import { COUNT_LUA, usagesFrom, windowKeys } from '../../common/limits/redis-windows.js';
import { script, type RedisLink } from '../../common/redis/redis.js';
import type { Clock } from '../../common/clock.js';
import { WINDOW_SECONDS } from '../oauth1/protocol.js';
import type { NonceAnswer, NonceStore, NonceAttempt } from './nonce-store.js';

/** A connection that was only cut is back within this time. */
const RECONNECT_PATIENCE_MS = 150;
/** A process that was held up finds its commands timed out though Redis answered; it is not Redis that is away then. */
const ATTEMPTS = 3;
/** Redis counts the expiry in its own time, which need not run quite like ours. */
const SPARE_SECONDS = 60;

const FRESH = 1;
const USED = 0;

/**
 * Everything that is asked of Redis about a request, in one round trip: is this the memory we know, is the nonce new,
 * and is there room in the windows. KEYS: generation, nonce, windows. ARGV: the life of the server, the generation we
 * know, the attempt's token, expiry, now, the windows' seconds.
 *
 * A generation begins when there is none, or when the one found belongs to an earlier life of the server: a snapshot
 * brings back the generation, but not the nonces since.
 */
const GATE = script(`${COUNT_LUA}
local generation = redis.call('GET', KEYS[1])
if not generation or string.sub(generation, 1, #ARGV[1]) ~= ARGV[1] then
  generation = ARGV[1] .. ARGV[3]
  redis.call('SET', KEYS[1], generation)
end
if generation ~= ARGV[2] then return {-1, generation} end
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

/** Nonces in Redis, where all replicas ask. */
export class RedisNonceStore implements NonceStore {
  constructor(
    private readonly link: RedisLink,
    private readonly prefix: string,
    private readonly clock: Pick<Clock, 'ms'>,
  ) {}

  async generation(): Promise<string> {
    // No generation is called so: nothing is looked at, and the answer is the name of the one there is.
    const [, generation] = await this.ask('', [`${this.prefix}nonce:`], [randomUUID(), 1, this.clock.ms()]);
    return generation as string;
  }

  async take({ digest, timestamp, token, windows }: NonceAttempt, generation: string): Promise<NonceAnswer> {
    const now = this.clock.ms();
    const expiry = Math.ceil(timestamp + WINDOW_SECONDS - now / 1000) + SPARE_SECONDS;
    const [verdict, ...more] = await this.ask(
      generation,
      [`${this.prefix}nonce:${digest}`, ...windowKeys(this.prefix, windows)],
      [token, Math.max(SPARE_SECONDS, expiry), now, ...windows.map(({ seconds }) => seconds)],
    );
    if (verdict === FRESH) return { verdict: 'fresh', usages: usagesFrom(windows, more as number[]) };
    return verdict === USED ? { verdict: 'used' } : { verdict: 'lost', generation: more[0] as string };
  }

  /** Asks again after a failure, which may be our own being late; the token makes that safe. */
  private async ask(generation: string, keys: string[], values: (string | number)[]): Promise<unknown[]> {
    for (let attempt = 1; ; attempt++) {
      if (!this.link.ready) await this.link.whenReady(RECONNECT_PATIENCE_MS);
      try {
        return await this.run(generation, keys, values);
      } catch (error) {
        if (attempt >= ATTEMPTS || !(await this.link.whenReady(RECONNECT_PATIENCE_MS))) throw error;
      }
    }
  }

  private async run(generation: string, keys: string[], values: (string | number)[]): Promise<unknown[]> {
    const all = [`${this.link.serverIdentity}:`, generation, ...values];
    return (await this.link.run(GATE, [`${this.prefix}nonces:generation`, ...keys], all)) as unknown[];
  }
}
