import fc from 'fast-check';
import { ClusterNonceStore } from '../../../src/auth/replay/cluster-nonce-store.js';
import type { NonceAttempt } from '../../../src/auth/replay/nonce-store.js';
import { countInRedis, refundInRedis } from '../../../src/auth/limits/redis-windows.js';
import type { RateWindow } from '../../../src/auth/limits/windows.js';
import { groupOf, groupPrefix, KEY_GROUPS } from '../../../src/common/redis/key-groups.js';
import type { RedisLink, Script } from '../../../src/common/redis/redis.js';

const SLOTS = 16_384;
const PREFIX = 'marquee:';

/** The slot of a key as the specification of Redis Cluster defines it: CRC16 of the text in the first braces. */
function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  const hashed = open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc % SLOTS;
}

/** How many of these slots each of so many equal nodes has. */
const shares = (slots: number[], nodes: number): number[] => {
  const counts = Array.from({ length: nodes }, () => 0);
  for (const slot of slots) counts[Math.floor((slot * nodes) / SLOTS)]++;
  return counts;
};

/** A cluster that notes the keys of each script; scripts of nonces find them fresh. */
class FakeCluster {
  readonly isCluster = true;
  readonly mayFailOver = true;
  readonly ready = true;
  readonly serverIdentity = 'cluster';
  /** The keys of each script that ran. */
  readonly ran: string[][] = [];
  /** By the key of a generation, those that are not the first one. */
  readonly generations = new Map<string, string>();
  /** The verdict on nonces under the present generation: fresh (1) or used (0). */
  verdict = 1;

  async isPrimary(): Promise<boolean> {
    return true;
  }

  async run(_: Script, keys: string[], values: (string | number)[]): Promise<unknown> {
    this.ran.push(keys);
    if (!keys[0].endsWith('nonces:generation')) return keys.flatMap(() => [1, 60_000]);
    const generation = this.generations.get(keys[0]) ?? 'first';
    if (values[1] !== generation) return [-1, generation];
    return this.verdict === 1 ? [1, ...keys.slice(2).flatMap(() => [2, 60_000])] : [0];
  }

  get link(): RedisLink {
    return this as unknown as RedisLink;
  }

  store(): ClusterNonceStore {
    return new ClusterNonceStore(this.link, PREFIX, { ms: () => 0 });
  }
}

const window = (home: string): RateWindow => ({ key: `WRITES:${home}`, home, name: 'WRITES', limit: 10, seconds: 60 });
const attempt = (home: string, windows: RateWindow[] = []): NonceAttempt => ({
  digest: `digest of ${home}`,
  home,
  timestamp: 0,
  token: 't',
  windows,
});

const homes = fc.string({ minLength: 1 });

describe('the groups of keys in a Redis Cluster', () => {
  it('computes slots as Redis does', () => {
    // the test vector of the specification
    expect(slotOf('123456789')).toBe(0x31c3 % SLOTS);
    expect(slotOf('{user1000}.following')).toBe(slotOf('{user1000}.followers'));
  });

  it('are in different slots, which many nodes share evenly', () => {
    const slots = Array.from({ length: KEY_GROUPS }, (_, group) => slotOf(`${groupPrefix(PREFIX, group)}x`));
    expect(new Set(slots).size).toBe(KEY_GROUPS);
    for (const nodes of [3, 4, 6, 12]) {
      const counts = shares(slots, nodes);
      expect(Math.max(...counts)).toBeLessThanOrEqual(1.5 * (KEY_GROUPS / nodes));
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(0.5 * (KEY_GROUPS / nodes));
    }
  });

  it('spread accounts over slots and nodes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 4 }), { minLength: 600, maxLength: 600 }), (accounts) => {
        const slots = accounts.map((account) => slotOf(groupPrefix(PREFIX, groupOf(account))));
        expect(new Set(slots).size).toBeGreaterThan(KEY_GROUPS * 0.9);
        // of 600 each of three nodes has 200 on average; the standard deviation is 12
        expect(Math.min(...shares(slots, 3))).toBeGreaterThan(120);
      }),
      { numRuns: 20 },
    );
  });

  it('hold all keys of a script together', async () => {
    await fc.assert(
      fc.asyncProperty(
        homes,
        fc.array(homes, { maxLength: 4 }),
        fc.constantFrom(0, 1),
        async (home, owners, verdict) => {
          const cluster = Object.assign(new FakeCluster(), { verdict });
          const store = cluster.store();
          const windows = owners.map(window);
          const generation = await store.generation();
          const taken = await store.take(attempt(home, windows), generation);
          const usages = await countInRedis(cluster.link, PREFIX, windows, 0);
          await Promise.all(windows.map((each, i) => refundInRedis(cluster.link, PREFIX, each, usages[i])));
          expect(taken.verdict).toBe(verdict === 1 ? 'fresh' : 'used');
          for (const keys of cluster.ran) expect(new Set(keys.map(slotOf)).size).toBe(1);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('nonces in a Redis Cluster', () => {
  const elsewhere = (home: string) =>
    Array.from({ length: 100 }, (_, i) => `account ${i}`).find((other) => groupOf(other) !== groupOf(home))!;

  it('takes a nonce and the windows of its token with one script, and others at the same time', async () => {
    const cluster = new FakeCluster();
    const store = cluster.store();
    const generation = await store.generation();
    cluster.ran.length = 0;
    const own = window('token');
    const other = window(elsewhere('token'));
    await expect(store.take(attempt('token', [own]), generation)).resolves.toMatchObject({ verdict: 'fresh' });
    expect(cluster.ran).toHaveLength(1);
    const answer = await store.take(attempt('token', [other, own]), generation);
    expect(cluster.ran).toHaveLength(3);
    // the fake counts 2 in the script of the nonce, and 1 in the other
    expect(answer.verdict === 'fresh' && answer.usages!.map(({ remaining }) => remaining)).toEqual([9, 8]);
  });

  it('refunds a window elsewhere when the nonce was used', async () => {
    const cluster = Object.assign(new FakeCluster(), { verdict: 0 });
    const store = cluster.store();
    const generation = await store.generation();
    cluster.ran.length = 0;
    const far = window(elsewhere('token'));
    await expect(store.take(attempt('token', [far]), generation)).resolves.toEqual({ verdict: 'used' });
    await new Promise((resolve) => setImmediate(resolve));
    const prefix = groupPrefix(PREFIX, groupOf(far.home!));
    expect(cluster.ran.filter(([key]) => key === `${prefix}window:${far.key}`)).toHaveLength(2);
  });

  it('has another generation when any group has, and says so with the next nonce there', async () => {
    const cluster = new FakeCluster();
    const store = cluster.store();
    const before = await store.generation();
    const lost = `${groupPrefix(PREFIX, groupOf('token'))}nonces:generation`;
    cluster.generations.set(lost, 'second');
    const other = elsewhere('token');
    // a group that has lost nothing decides until the loss is known
    await expect(store.take(attempt(other), before)).resolves.toMatchObject({ verdict: 'fresh' });
    const answer = await store.take(attempt('token'), before);
    const after = await store.generation();
    expect(answer).toEqual({ verdict: 'lost', generation: after });
    expect(after).not.toBe(before);
    await expect(store.take(attempt(other), before)).resolves.toEqual({ verdict: 'lost', generation: after });
    await expect(store.take(attempt(other), after)).resolves.toMatchObject({ verdict: 'fresh' });
    // another process that asks gets the same name
    await expect(cluster.store().generation()).resolves.toBe(after);
  });

  it('asks all groups once for many requests that find the loss', async () => {
    const cluster = new FakeCluster();
    const store = cluster.store();
    const before = await store.generation();
    for (let group = 0; group < KEY_GROUPS; group++)
      cluster.generations.set(`${groupPrefix(PREFIX, group)}nonces:generation`, 'second');
    cluster.ran.length = 0;
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => store.take(attempt(`home ${i}`), before)));
    expect(new Set(answers.map(({ verdict }) => verdict))).toEqual(new Set(['lost']));
    expect(cluster.ran.length).toBeLessThanOrEqual(50 + 2 * KEY_GROUPS);
  });
});
