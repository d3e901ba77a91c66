import { EpochTables } from '../../../src/auth/replay/epoch-tables.js';
import {
  claimsOf,
  DATABASE_URL,
  earlyInASecond,
  epochOf,
  never,
  once,
  storm,
  World,
  type TestReplica,
} from './replay-world.js';

describe('replay protection in one process on the embedded store', () => {
  let world: World;
  beforeAll(async () => void (world = await World.embedded()), 30_000);
  afterAll(() => world.close());

  it('lets each claim pass once, also after the process began anew', async () => {
    const first = await world.replica();
    expect(await epochOf(world)).toMatchObject({ store: 'process' });
    const old = first.claim(-290);
    const ahead = first.claim(250);
    const claims = [...claimsOf(first, 30), old, ahead];
    expect(await storm([first], claims)).toEqual(once(claims));
    const unused = first.claim(-100);
    await first.stop();

    const second = await world.replica();
    expect(await storm([second], claims)).toEqual(never(claims));
    expect(await second.verdict(unused)).toBe('too-old');
    expect(await second.verdict(second.claim())).toBe('fresh');
    expect(await second.verdict({ ...ahead, nonce: 'other' })).toBe('fresh');
    await second.stop();
  });

  it('tells consumers, tokens and timestamps apart', async () => {
    const replica = await world.replica();
    const claim = replica.claim();
    expect(await replica.verdict(claim)).toBe('fresh');
    expect(await replica.verdict({ ...claim, consumer: 'c' })).toBe('fresh');
    expect(await replica.verdict({ ...claim, token: '' })).toBe('fresh');
    expect(await replica.verdict({ ...claim, timestamp: claim.timestamp + 1 })).toBe('fresh');
    expect(await replica.verdict({ ...claim })).toBe('used');
    await replica.stop();
  });

  it('follows a clock that is moved', async () => {
    const replica = await world.replica();
    const before = replica.claim();
    expect(await replica.verdict(before)).toBe('fresh');
    replica.clock.advance(200_000);
    const later = replica.claim();
    expect(await replica.verdict(later)).toBe('fresh');
    expect(await replica.verdict(later)).toBe('used');
    replica.clock.advance(-200_000);
    expect(await replica.verdict(before)).toBe('used');
    expect(await replica.verdict(later)).toBe('used');

    for (const time of [new Date('2040-01-01'), new Date('2020-01-01'), null]) {
      replica.clock.set(time);
      const claim = replica.claim();
      expect(await replica.verdict(claim)).toBe('fresh');
      expect(await replica.verdict(claim)).toBe('used');
    }
    await replica.stop();
  });
});

(DATABASE_URL ? describe : describe.skip)('replay protection by the table', () => {
  let world: World;
  let replicas: TestReplica[];
  beforeAll(async () => {
    world = await World.onServer();
    replicas = [await world.replica(), await world.replica()];
  });
  afterAll(() => world.close());

  it('lets each claim pass once over all replicas', async () => {
    expect(await epochOf(world)).toMatchObject({ store: 'table' });
    const claims = [...claimsOf(replicas[0], 20), replicas[0].claim(-300), replicas[1].claim(299)];
    expect(await storm(replicas, claims)).toEqual(once(claims));
  });

  it('lets none pass again when a crash of PostgreSQL has emptied the unlogged tables', async () => {
    await earlyInASecond(replicas[0]);
    const ahead = replicas[1].claim(200);
    const before = [...claimsOf(replicas[0], 10), ahead];
    expect(await storm(replicas, before)).toEqual(once(before));
    await world.sql('TRUNCATE used_nonces, nonce_generations');
    const after = claimsOf(replicas[0], 10);
    expect(await storm(replicas, [...before, ...after])).toEqual([...never(before), ...once(after)]);
    expect(await replicas[0].verdict(replicas[0].claim(-5))).toBe('too-old');
  });

  it('joins a running deployment without disturbing it', async () => {
    const { epoch } = await epochOf(world);
    const third = await world.replica();
    const claims = claimsOf(third, 5);
    expect(await storm([...replicas, third], claims)).toEqual(once(claims));
    await third.stop();
    expect(await storm(replicas, claims)).toEqual(never(claims));
    expect(await epochOf(world)).toMatchObject({ epoch });
  });

  it('clears away what can never come again', async () => {
    await world.sql(`INSERT INTO used_nonces SELECT 'x' || i, '2001-01-01' FROM generate_series(1, 12000) i`);
    await new EpochTables(replicas[0].store.dataSource.manager).clear(replicas[0].clock.ms());
    const [{ old, kept }] = await world.sql(
      `SELECT count(*) FILTER (WHERE "expiresAt" < now()) AS old, count(*) FILTER (WHERE "expiresAt" > now()) AS kept FROM used_nonces`,
    );
    expect([Number(old), Number(kept) > 0]).toEqual([0, true]);
  });
});
