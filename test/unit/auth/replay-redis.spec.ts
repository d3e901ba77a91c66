import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Redis } from 'ioredis';
import type { RateWindow } from '../../../src/auth/limits/windows.js';
import { RedisLink } from '../../../src/common/redis/redis.js';
import {
  noncesOf,
  DATABASE_URL,
  earlyInASecond,
  epochOf,
  hasRedisServer,
  healthOf,
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
  const WINDOW: RateWindow = { key: 'WRITES:somebody', name: 'WRITES', limit: 5, seconds: 60 };
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

  it('accepts each nonce once over all replicas, without a word to PostgreSQL', async () => {
    expect(await epochOf(world)).toMatchObject({ store: 'redis' });
    const nonces = noncesOf(replicas[0], 50);
    expect(await storm(replicas, nonces)).toEqual(once(nonces));
    expect(await world.sql('SELECT * FROM used_nonces')).toEqual([]);
  });

  it('counts only what is accepted, in windows that replicas share', async () => {
    const nonce = replicas[0].signedNonce();
    const usages = [];
    for (const [i, each] of [
      nonce,
      nonce,
      replicas[0].signedNonce(),
      replicas[1].signedNonce(),
      replicas[0].signedNonce(),
    ].entries()) {
      usages.push(...(await replicas[i % 2].admit(each, [WINDOW])).usages);
    }
    expect(usages.map(({ remaining }) => remaining)).toEqual([4, 3, 2, 1]);
    expect(usages[3].resetAt).toBe(usages[0].resetAt);
    const only = await replicas[1].replayProtection.admit(null, [WINDOW, { ...WINDOW, key: 'other' }]);
    expect(only.usages.map(({ remaining, exceeded }) => [remaining, exceeded])).toEqual([
      [0, false],
      [4, false],
    ]);
    const beyond = await replicas[1].admit(replicas[1].signedNonce(), [WINDOW]);
    expect(beyond).toMatchObject({
      verdict: 'fresh',
      usages: [{ remaining: 0, exceeded: true, limit: 5, seconds: 60 }],
    });
  });

  it('counts a request once whose answer was lost', async () => {
    const link = replicas[0].redis!;
    const run = link.run.bind(link);
    const lost = jest.spyOn(link, 'run').mockImplementationOnce(async (...command) => {
      await run(...command);
      throw new Error('Command timed out');
    });
    const window = { ...WINDOW, key: 'WRITES:lost' };
    const { verdict, usages } = await replicas[0].admit(replicas[0].signedNonce(), [window]);
    expect([verdict, usages.map(({ remaining }) => remaining)]).toEqual(['fresh', [4]]);
    expect(lost.mock.calls.length).toBeGreaterThan(1);
    lost.mockRestore();
    const next = await replicas[0].admit(replicas[0].signedNonce(), [window]);
    expect(next.usages.map(({ remaining }) => remaining)).toEqual([3]);
  });

  it('accepts none again that was accepted in the second of a flush, and all that are signed after it', async () => {
    for (let round = 0; round < 3; round++) {
      await earlyInASecond(replicas[0]);
      const ahead = replicas[1].signedNonce(200);
      const before = [...noncesOf(replicas[0], 10), ...noncesOf(replicas[1], 10), ahead];
      expect(await storm(replicas, before)).toEqual(once(before));
      await flush();
      const after = noncesOf(replicas[1], 10);
      const unused = replicas[0].signedNonce(-8);
      expect(after[0].timestamp).toBe(before[0].timestamp);
      expect(await storm(replicas, [...before, ...after])).toEqual([...never(before), ...once(after)]);
      expect(await replicas[0].verdict(unused)).toBe('too-old');
      await sleep(1_000);
      expect(await storm(replicas, [...before, ...after])).toEqual([...never(before), ...never(after)]);
      expect(await replicas[0].verdict(replicas[0].signedNonce())).toBe('fresh');
    }
  }, 20_000);

  it('accepts each once while flushes come in between', async () => {
    const nonces = Array.from({ length: 40 }, () => replicas[0].signedNonce());
    const fresh = new Map<string, number>();
    const attempts = nonces.flatMap((nonce) =>
      Array.from({ length: 20 }, (_, i) => ({ nonce, replica: replicas[i % 2] })),
    );
    const flushes = (async () => {
      for (let i = 0; i < 4; i++) {
        await sleep(40);
        await flush();
      }
    })();
    await Promise.all(
      attempts.map(async ({ nonce, replica }, i) => {
        await sleep((i * 37) % 250);
        if ((await replica.verdict(nonce)) === 'fresh') fresh.set(nonce.nonce, (fresh.get(nonce.nonce) ?? 0) + 1);
      }),
    );
    await flushes;
    expect([...fresh.values()].filter((count) => count > 1)).toEqual([]);
    expect(fresh.size).toBe(nonces.length);
  });

  it('does not wait for a replica that went silent long ago, and refuses what one that just did may have accepted', async () => {
    await world.sql(
      `INSERT INTO replicas VALUES ('gone', now() - interval '20 s', 0), ('crashed', now() - interval '1 s', 0)`,
    );
    await flush();
    // nobody can decide yet: to sign again would not help
    expect(await replicas[0].verdict(replicas[0].signedNonce())).toBe('undecided');
    await sleep(4_500);
    expect(await replicas[0].verdict(replicas[0].signedNonce())).toBe('fresh');
    expect(await replicas[1].verdict(replicas[1].signedNonce())).toBe('fresh');
  });

  it('does not wait for the lease of one that crashed as the store was flushed: it could not use it any more', async () => {
    const { epoch } = await epochOf(world);
    await world.sql(`INSERT INTO replicas VALUES ('just crashed', now() + interval '3 s', ${epoch})`);
    await flush();
    try {
      await until(async () => (await replicas[0].verdict(replicas[0].signedNonce())) === 'fresh', 4_500);
      const [{ second }] = await world.sql(
        `SELECT floor(extract(epoch FROM "beganAt"))::int AS second FROM nonce_epochs`,
      );
      // whether the other one has accepted it nobody knows, also of what was under way when it crashed
      for (const ago of [0, 2, 5]) {
        const inBetween = { ...replicas[0].signedNonce(), timestamp: Number(second) - ago };
        expect([ago, await replicas[0].verdict(inBetween)]).toEqual([ago, 'undecided']);
      }
    } finally {
      await world.sql(`DELETE FROM replicas WHERE id = 'just crashed'`);
    }
  });

  it('lets a process begin only when it may decide', async () => {
    const { epoch } = await epochOf(world);
    await world.sql(`INSERT INTO replicas VALUES ('crashed with it', now(), ${epoch})`);
    await flush();
    await until(async () => (await replicas[0].verdict(replicas[0].signedNonce())) === 'fresh', 4_500);
    // how long nothing can have been accepted only those know that saw the flush
    await world.sql(`UPDATE replicas SET "seenAt" = now() WHERE id = 'crashed with it'`);
    const joining = await world.replica();
    expect(await joining.verdict(joining.signedNonce())).toBe('fresh');
    await world.sql(`DELETE FROM replicas WHERE id = 'crashed with it'`);
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
    const before = noncesOf(replicas[0], 15);
    expect(await storm(replicas, before)).toEqual(once(before));
    await server.kill();
    const away = noncesOf(replicas[1], 15);
    expect(await storm(replicas, [...before, ...away])).toEqual([...never(before), ...once(away)]);
    expect(await epochOf(world)).toMatchObject({ store: 'table' });
    expect(
      (await replicas[0].admit(replicas[0].signedNonce(), [{ key: 'k', name: 'WRITES', limit: 1, seconds: 60 }]))
        .usages,
    ).toMatchObject([{ remaining: 0, exceeded: false }]);

    await server.start();
    await until(async () => (await epochOf(world)).store === 'redis');
    const back = noncesOf(replicas[0], 15);
    expect(await storm(replicas, [...before, ...away, ...back])).toEqual([
      ...never(before),
      ...never(away),
      ...once(back),
    ]);
  }, 25_000);

  it('goes on with the table when Redis does not answer', async () => {
    const before = noncesOf(replicas[0], 5);
    expect(await storm(replicas, before)).toEqual(once(before));
    server.freeze();
    const away = noncesOf(replicas[0], 5);
    expect(await storm(replicas, [...before, ...away])).toEqual([...never(before), ...once(away)]);
    server.thaw();
    await until(async () => (await epochOf(world)).store === 'redis');
    expect(await storm(replicas, [...before, ...away])).toEqual([...never(before), ...never(away)]);
  }, 25_000);

  it('refuses none and accepts none twice while requests keep coming', async () => {
    const seen = new Map<string, string[]>();
    let running = true;
    const load = replicas.map(async (replica, i) => {
      while (running) {
        const nonce = replica.signedNonce();
        const verdicts = await Promise.all([
          replica.verdict(nonce),
          replicas[1 - i].verdict(nonce),
          replica.verdict(nonce),
        ]);
        seen.set(nonce.nonce, verdicts);
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

  it('notices a restart that brought an old snapshot back', async () => {
    await server.kill();
    const dir = await mkdtemp(join(tmpdir(), 'replay-'));
    await server.start('--dir', dir);
    await until(async () => (await epochOf(world)).store === 'redis');
    const admin = new Redis(server.url);
    await admin.save();
    admin.disconnect();
    const before = noncesOf(replicas[0], 5);
    expect(await storm(replicas, before)).toEqual(once(before));
    const { epoch } = await epochOf(world);
    await server.kill();
    await server.start('--dir', dir);
    const after = noncesOf(replicas[0], 5);
    expect(await storm(replicas, [...before, ...after])).toEqual([...never(before), ...once(after)]);
    expect((await epochOf(world)).epoch).toBeGreaterThan(epoch);
    await rm(dir, { recursive: true });
  }, 25_000);
});

(DATABASE_URL && hasRedisServer ? describe : describe.skip)('a node of a Redis Cluster', () => {
  const server = new RedisServer();
  let folder: string;
  let world: World;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'marquee-cluster-'));
    // no slots are assigned: the cluster is down
    await server.launch('--cluster-enabled', 'yes', '--save', '', '--dir', folder);
    world = await World.onServer(server.url);
  }, 30_000);
  afterAll(async () => {
    await world.close();
    await server.kill();
    await rm(folder, { recursive: true });
  });

  const settings: [string, () => Promise<unknown>][] = [
    ['that says so', () => Promise.resolve()],
    // what it is shows only in its answers then
    ['that may not be asked what it is', () => server.ask('ACL', 'SETUSER', 'default', '-info')],
  ];
  it.each(settings)('%s is not used: PostgreSQL decides, and health says why', async (_, prepare) => {
    await prepare();
    const replicas = [await world.replica(), await world.replica()];
    const nonces = noncesOf(replicas[0], 10);
    expect(await storm(replicas, nonces)).toEqual(once(nonces));
    expect(await storm(replicas, nonces)).toEqual(never(nonces));
    expect(await epochOf(world)).toMatchObject({ store: 'table' });
    const window: RateWindow = { key: 'WRITES:somebody', name: 'WRITES', limit: 5, seconds: 60 };
    expect((await replicas[0].admit(replicas[0].signedNonce(), [window])).usages).toMatchObject([{ remaining: 4 }]);
    expect((await replicas[0].replayProtection.admit(null, [window])).usages).toMatchObject([{ remaining: 3 }]);
    for (const { redis } of replicas) {
      expect(redis!.state).toBe('cluster');
      expect(redis!.trouble).toMatch(
        /^REDIS_URL names a node of a Redis Cluster, so Redis is not used; write redis\+cluster:/,
      );
    }
    const { status, body } = await healthOf(replicas[0]);
    expect([status, body]).toEqual([
      200,
      { status: 'ok', database: 'ok', redis: 'cluster', degraded: replicas[0].redis!.trouble },
    ]);
  });
});

/** Servers of which another one may take over. */
interface Place {
  /** REDIS_URL. */
  url: string;
  /** The server that has all keys. */
  server: RedisServer;
  begin(folder: string): Promise<void>;
  end(): Promise<void>;
}

const OPTIONS = ['--save', '', '--enable-debug-command', 'yes'];
const [server, sentinel] = [new RedisServer(), new RedisServer(6391)];

const PLACES: Record<string, Place> = {
  'a Redis Cluster': {
    url: 'redis+cluster://127.0.0.1:1,127.0.0.1:6390',
    server,
    async begin(folder) {
      // a node alone does not know its address
      const itself = ['--cluster-announce-ip', '127.0.0.1'];
      await server.launch(...OPTIONS, '--cluster-enabled', 'yes', ...itself, '--dir', folder);
      await server.ask('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      await until(async () => String(await server.ask('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    },
    end: () => server.kill(),
  },
  'a Redis that sentinels name': {
    url: 'redis+sentinel://127.0.0.1:1,127.0.0.1:6391/mymaster?sentinel_password=hunter2',
    server,
    async begin(folder) {
      await server.launch(...OPTIONS);
      const file = join(folder, 'sentinel.conf');
      const lines = ['sentinel monitor mymaster 127.0.0.1 6390 1', 'requirepass hunter2', 'protected-mode no', ''];
      await writeFile(file, lines.join('\n'));
      await sentinel.launchSentinel(file);
    },
    async end() {
      await sentinel.kill();
      await server.kill();
    },
  },
};

(DATABASE_URL && hasRedisServer ? describe : describe.skip).each(Object.entries(PLACES))(
  'replay protection by %s',
  (_, place) => {
    let folder: string;
    let world: World;
    let replicas: TestReplica[];
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'marquee-place-'));
      await place.begin(folder);
      world = await World.onServer(place.url);
      replicas = [await world.replica(), await world.replica()];
    }, 30_000);
    afterAll(async () => {
      await world.close();
      await place.end();
      await rm(folder, { recursive: true });
    });

    it('accepts each nonce once over all replicas, and counts in windows that replicas share', async () => {
      expect(await epochOf(world)).toMatchObject({ store: 'redis' });
      const nonces = noncesOf(replicas[0], 50);
      expect(await storm(replicas, nonces)).toEqual(once(nonces));
      expect(await world.sql('SELECT * FROM used_nonces')).toEqual([]);
      // of the signer, and of somebody whose keys may be elsewhere
      for (const home of ['token', 'account', 'another account']) {
        const window: RateWindow = { key: `WRITES:${home}`, home, name: 'WRITES', limit: 5, seconds: 60 };
        const nonce = replicas[0].signedNonce();
        const usages = [];
        for (const [i, each] of [nonce, nonce, replicas[0].signedNonce(), replicas[1].signedNonce()].entries())
          usages.push(...(await replicas[i % 2].admit(each, [window])).usages);
        // the refund of the used one is not waited for
        expect(usages).toHaveLength(3);
        await sleep(20);
        const { usages: last } = await replicas[1].replayProtection.admit(null, [window]);
        expect(last.map(({ remaining }) => remaining)).toEqual([1]);
        await replicas[0].replayProtection.refund(window, last[0]);
        const { usages: again } = await replicas[1].replayProtection.admit(null, [window]);
        expect(again.map(({ remaining }) => remaining)).toEqual([1]);
      }
    });

    it('accepts none again that another server does not know, although connections stay open', async () => {
      for (let round = 0; round < 3; round++) {
        await earlyInASecond(replicas[0]);
        const before = [...noncesOf(replicas[0], 10), ...noncesOf(replicas[1], 10)];
        expect(await storm(replicas, before)).toEqual(once(before));
        const { epoch } = await epochOf(world);
        await place.server.replaceByReplica(world.prefix);
        const after = noncesOf(replicas[1], 10);
        expect(await storm(replicas, [...before, ...after])).toEqual([...never(before), ...once(after)]);
        expect((await epochOf(world)).epoch).toBeGreaterThan(epoch);
      }
    }, 20_000);

    it('accepts each once while other servers take over', async () => {
      const nonces = noncesOf(replicas[0], 40);
      const fresh = new Map<string, number>();
      const switches = (async () => {
        for (let i = 0; i < 4; i++) {
          await sleep(60);
          await place.server.replaceByReplica(world.prefix);
        }
      })();
      const attempts = nonces.flatMap((nonce) => Array.from({ length: 20 }, (__, i) => ({ nonce, at: i % 2 })));
      await Promise.all(
        attempts.map(async ({ nonce, at }, i) => {
          await sleep((i * 37) % 350);
          if ((await replicas[at].verdict(nonce)) === 'fresh')
            fresh.set(nonce.nonce, (fresh.get(nonce.nonce) ?? 0) + 1);
        }),
      );
      await switches;
      expect([...fresh.values()].filter((count) => count > 1)).toEqual([]);
      expect(fresh.size).toBe(nonces.length);
    });

    it('is not used by a user who may not run INFO', async () => {
      await place.server.ask('ACL', 'SETUSER', 'default', '-info');
      await until(async () => (await epochOf(world)).store === 'table');
      const refused = /^the user of REDIS_URL may not run INFO/;
      await until(async () => replicas.every((replica) => refused.test(replica.redis!.trouble ?? '')));
      const nonces = noncesOf(replicas[0], 5);
      expect(await storm(replicas, nonces)).toEqual(once(nonces));
      await place.server.ask('ACL', 'SETUSER', 'default', '+info');
      await until(async () => (await epochOf(world)).store === 'redis', 20_000);
    }, 30_000);
  },
);

(hasRedisServer ? describe : describe.skip)('a place where Redis is not', () => {
  const troubleOf = async (redisUrl: string, pattern: RegExp) => {
    const link = new RedisLink({ redisUrl });
    try {
      await until(async () => pattern.test(link.trouble ?? ''), 5_000);
      expect(link.ready).toBe(false);
      expect(link.trouble).toMatch(/Meanwhile requests are still served/);
    } finally {
      link.close();
    }
  };

  it('names sentinels that do not answer', () =>
    troubleOf('redis+sentinel://127.0.0.1:1,127.0.0.1:2/m', /^no sentinel of REDIS_URL answers \(.*ECONNREFUSED/));

  it('names a primary that the sentinels do not know, and their password', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'marquee-place-'));
    await PLACES['a Redis that sentinels name'].begin(folder);
    try {
      const at = 'redis+sentinel://127.0.0.1:6391';
      await troubleOf(
        `${at}/other?sentinel_password=hunter2`,
        /^the sentinels of REDIS_URL do not know a primary .*"other"/,
      );
      await troubleOf(`${at}/mymaster`, /^no sentinel of REDIS_URL answers \(NOAUTH .*sentinel_password/);
      await troubleOf('redis+cluster://127.0.0.1:6390', /^REDIS_URL names a Redis without cluster mode/);
    } finally {
      await PLACES['a Redis that sentinels name'].end();
      await rm(folder, { recursive: true });
    }
  }, 20_000);
});
