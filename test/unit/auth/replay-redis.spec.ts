import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Window } from '../../../src/common/limits/windows.js';
import {
  claimsOf,
  DATABASE_URL,
  earlyInASecond,
  epochOf,
  hasRedisServer,
  never,
  once,
  REDIS_URL,
  RedisServer,
  sleep,
  storm,
  tally,
  until,
  World,
  type TestReplica,
} from './replay-world.js';

(DATABASE_URL && REDIS_URL ? describe : describe.skip)('replay protection by Redis', () => {
  const WINDOW: Window = { key: 'WRITES:somebody', name: 'WRITES', limit: 5, seconds: 60 };
  let world: World;
  let replicas: TestReplica[];
  let redis: Redis;
  const flush = async () => {
    const keys = await redis.keys(`${world.prefix}*`);
    if (keys.length) await redis.del(...keys);
  };
  beforeAll(async () => {
    const url = new URL(REDIS_URL!);
    url.pathname = '/5';
    redis = new Redis(url.href);
    world = await World.onServer(url.href);
    replicas = [await world.replica(), await world.replica()];
  });
  afterAll(async () => {
    await flush();
    await world.close();
    redis.disconnect();
  });

  it('lets each claim pass once over all replicas, without a word to PostgreSQL', async () => {
    expect(await epochOf(world)).toMatchObject({ store: 'redis' });
    const claims = claimsOf(replicas[0], 50);
    expect(await storm(replicas, claims)).toEqual(once(claims));
    expect(await world.sql('SELECT * FROM used_nonces')).toEqual([]);
  });

  it('counts only what passes, in windows that replicas share', async () => {
    const claim = replicas[0].claim();
    const usages = [];
    for (const [i, each] of [claim, claim, replicas[0].claim(), replicas[1].claim(), replicas[0].claim()].entries()) {
      usages.push(...(await replicas[i % 2].pass(each, [WINDOW])).usages);
    }
    expect(usages.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1]);
    expect(usages[3].resetAt).toBe(usages[0].resetAt);
    const only = await replicas[1].gate.admit(null, [WINDOW, { ...WINDOW, key: 'other' }]);
    expect(only.usages.map(({ remaining, exceeded }) => [remaining, exceeded])).toEqual([
      [0, false],
      [4, false],
    ]);
    const beyond = await replicas[1].pass(replicas[1].claim(), [WINDOW]);
    expect(beyond).toMatchObject({
      verdict: 'fresh',
      usages: [{ remaining: 0, exceeded: true, limit: 5, seconds: 60 }],
    });
  });

  it('lets none pass again that passed in the second of a flush, and all that are made after it', async () => {
    for (let round = 0; round < 3; round++) {
      await earlyInASecond(replicas[0]);
      const ahead = replicas[1].claim(200);
      const before = [...claimsOf(replicas[0], 10), ...claimsOf(replicas[1], 10), ahead];
      expect(await storm(replicas, before)).toEqual(once(before));
      await flush();
      const after = claimsOf(replicas[1], 10);
      const unused = replicas[0].claim(-3);
      expect(after[0].timestamp).toBe(before[0].timestamp);
      expect(await storm(replicas, [...before, ...after])).toEqual([...never(before), ...once(after)]);
      expect(await replicas[0].verdict(unused)).toBe('too-old');
      await sleep(1_000);
      expect(await storm(replicas, [...before, ...after])).toEqual([...never(before), ...never(after)]);
      expect(await replicas[0].verdict(replicas[0].claim())).toBe('fresh');
    }
  }, 20_000);

  it('lets each pass once while flushes come in between', async () => {
    const claims = Array.from({ length: 40 }, () => replicas[0].claim());
    const fresh = new Map<string, number>();
    const attempts = claims.flatMap((claim) =>
      Array.from({ length: 20 }, (_, i) => ({ claim, replica: replicas[i % 2] })),
    );
    const flushes = (async () => {
      for (let i = 0; i < 4; i++) {
        await sleep(40);
        await flush();
      }
    })();
    await Promise.all(
      attempts.map(async ({ claim, replica }, i) => {
        await sleep((i * 37) % 250);
        if ((await replica.verdict(claim)) === 'fresh') fresh.set(claim.nonce, (fresh.get(claim.nonce) ?? 0) + 1);
      }),
    );
    await flushes;
    expect([...fresh.values()].filter((count) => count > 1)).toEqual([]);
    expect(fresh.size).toBe(claims.length);
  });

  it('does not wait for a replica that went silent long ago, and refuses what one that just did may have let pass', async () => {
    await world.sql(
      `INSERT INTO replicas VALUES ('gone', now() - interval '20 s', 0), ('crashed', now() - interval '1 s', 0)`,
    );
    await flush();
    expect(await replicas[0].verdict(replicas[0].claim())).toBe('too-old');
    await sleep(4_500);
    expect(await replicas[0].verdict(replicas[0].claim())).toBe('fresh');
    expect(await replicas[1].verdict(replicas[1].claim())).toBe('fresh');
  });
});

(DATABASE_URL && hasRedisServer ? describe : describe.skip)('replay protection while Redis comes and goes', () => {
  const server = new RedisServer();
  let world: World;
  let replicas: TestReplica[];
  beforeAll(async () => {
    await server.start();
    world = await World.onServer(server.url);
    replicas = [await world.replica(), await world.replica()];
  });
  afterAll(async () => {
    await world.close();
    await server.kill();
  });

  it('goes on with the table when Redis dies, and back to Redis when it is well again', async () => {
    expect(await epochOf(world)).toMatchObject({ store: 'redis' });
    await earlyInASecond(replicas[0]);
    const before = claimsOf(replicas[0], 15);
    expect(await storm(replicas, before)).toEqual(once(before));
    await server.kill();
    const away = claimsOf(replicas[1], 15);
    expect(await storm(replicas, [...before, ...away])).toEqual([...never(before), ...once(away)]);
    expect(await epochOf(world)).toMatchObject({ store: 'table' });
    expect(
      (await replicas[0].pass(replicas[0].claim(), [{ key: 'k', name: 'WRITES', limit: 1, seconds: 60 }])).usages,
    ).toMatchObject([{ remaining: 0, exceeded: false }]);

    await server.start();
    await until(async () => (await epochOf(world)).store === 'redis');
    const back = claimsOf(replicas[0], 15);
    expect(await storm(replicas, [...before, ...away, ...back])).toEqual([
      ...never(before),
      ...never(away),
      ...once(back),
    ]);
  }, 25_000);

  it('goes on with the table when Redis does not answer', async () => {
    const before = claimsOf(replicas[0], 5);
    expect(await storm(replicas, before)).toEqual(once(before));
    server.freeze();
    const away = claimsOf(replicas[0], 5);
    expect(await storm(replicas, [...before, ...away])).toEqual([...never(before), ...once(away)]);
    server.thaw();
    await until(async () => (await epochOf(world)).store === 'redis');
    expect(await storm(replicas, [...before, ...away])).toEqual([...never(before), ...never(away)]);
  }, 25_000);

  it('lets none fail and none pass twice while requests keep coming', async () => {
    const seen = new Map<string, string[]>();
    let running = true;
    const load = replicas.map(async (replica, i) => {
      while (running) {
        const claim = replica.claim();
        const verdicts = await Promise.all([
          replica.verdict(claim),
          replicas[1 - i].verdict(claim),
          replica.verdict(claim),
        ]);
        seen.set(claim.nonce, verdicts);
        await sleep(4);
      }
    });
    await sleep(300);
    await server.kill();
    await sleep(600);
    await server.start();
    await until(async () => (await epochOf(world)).store === 'redis');
    await sleep(500);
    running = false;
    await Promise.all(load);
    expect(seen.size).toBeGreaterThan(200);
    expect(tally([...seen.values()].map((verdicts) => verdicts.sort().join()))).toEqual({
      'fresh,used,used': seen.size,
    });
  }, 25_000);

  it('notifications a restart that brought an old snapshot back', async () => {
    await server.kill();
    const dir = await mkdtemp(join(tmpdir(), 'replay-'));
    await server.start('--dir', dir);
    await until(async () => (await epochOf(world)).store === 'redis');
    const admin = new Redis(server.url);
    await admin.save();
    admin.disconnect();
    const before = claimsOf(replicas[0], 5);
    expect(await storm(replicas, before)).toEqual(once(before));
    const { epoch } = await epochOf(world);
    await server.kill();
    await server.start('--dir', dir);
    const after = claimsOf(replicas[0], 5);
    expect(await storm(replicas, [...before, ...after])).toEqual([...never(before), ...once(after)]);
    expect((await epochOf(world)).epoch).toBeGreaterThan(epoch);
    await rm(dir, { recursive: true });
  }, 25_000);
});
