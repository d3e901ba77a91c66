import { EpochStatements } from '../../../src/auth/replay/nonces.statements.js';
import type { SignedNonce } from '../../../src/auth/replay/replay-protection.js';
import {
  noncesOf,
  DATABASE_URL,
  earlyInASecond,
  epochOf,
  healthOf,
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

  it('accepts each nonce once, also after the process began anew', async () => {
    const first = await world.replica();
    expect(await epochOf(world)).toMatchObject({ store: 'process' });
    const old = first.signedNonce(-290);
    const ahead = first.signedNonce(250);
    const nonces = [...noncesOf(first, 30), old, ahead];
    expect(await storm([first], nonces)).toEqual(once(nonces));
    const unused = first.signedNonce(-100);
    await first.stop();

    const second = await world.replica();
    expect(await storm([second], nonces)).toEqual(never(nonces));
    expect(await second.verdict(unused)).toBe('too-old');
    expect(await second.verdict(second.signedNonce())).toBe('fresh');
    expect(await second.verdict({ ...ahead, nonce: 'other' })).toBe('fresh');
    await second.stop();
  });

  it('tells consumers, tokens and timestamps apart', async () => {
    const replica = await world.replica();
    const nonce = replica.signedNonce();
    expect(await replica.verdict(nonce)).toBe('fresh');
    expect(await replica.verdict({ ...nonce, consumer: 'c' })).toBe('fresh');
    expect(await replica.verdict({ ...nonce, token: '' })).toBe('fresh');
    expect(await replica.verdict({ ...nonce, timestamp: nonce.timestamp + 1 })).toBe('fresh');
    expect(await replica.verdict({ ...nonce })).toBe('used');
    await replica.stop();
  });

  it('follows a clock that is moved', async () => {
    const replica = await world.replica();
    const before = replica.signedNonce();
    expect(await replica.verdict(before)).toBe('fresh');
    replica.clock.advance(200_000);
    const later = replica.signedNonce();
    expect(await replica.verdict(later)).toBe('fresh');
    expect(await replica.verdict(later)).toBe('used');
    replica.clock.advance(-200_000);
    expect(await replica.verdict(before)).toBe('used');
    expect(await replica.verdict(later)).toBe('used');

    for (const time of [new Date('2040-01-01'), new Date('2020-01-01'), null]) {
      replica.clock.set(time);
      const nonce = replica.signedNonce();
      expect(await replica.verdict(nonce)).toBe('fresh');
      expect(await replica.verdict(nonce)).toBe('used');
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

  it('accepts each nonce once over all replicas', async () => {
    expect(await epochOf(world)).toMatchObject({ store: 'table' });
    const nonces = [...noncesOf(replicas[0], 20), replicas[0].signedNonce(-300), replicas[1].signedNonce(299)];
    expect(await storm(replicas, nonces)).toEqual(once(nonces));
  });

  it('accepts none again when a crash of PostgreSQL has emptied the unlogged tables', async () => {
    await earlyInASecond(replicas[0]);
    const ahead = replicas[1].signedNonce(200);
    const before = [...noncesOf(replicas[0], 10), ahead];
    expect(await storm(replicas, before)).toEqual(once(before));
    await world.sql('TRUNCATE used_nonces, nonce_generations');
    const after = noncesOf(replicas[0], 10);
    expect(await storm(replicas, [...before, ...after])).toEqual([...never(before), ...once(after)]);
    expect(await replicas[0].verdict(replicas[0].signedNonce(-8))).toBe('too-old');
  });

  it('joins a running deployment without disturbing it', async () => {
    const { epoch } = await epochOf(world);
    const third = await world.replica();
    const nonces = noncesOf(third, 5);
    expect(await storm([...replicas, third], nonces)).toEqual(once(nonces));
    await third.stop();
    expect(await storm(replicas, nonces)).toEqual(never(nonces));
    expect(await epochOf(world)).toMatchObject({ epoch });
  });

  it('clears away what can never come again', async () => {
    await world.sql(`INSERT INTO used_nonces SELECT 'x' || i, '2001-01-01' FROM generate_series(1, 12000) i`);
    await new EpochStatements(replicas[0].store.openConnection()).deleteExpired(replicas[0].clock.ms());
    const [{ old, kept }] = await world.sql(
      `SELECT count(*) FILTER (WHERE "expiresAt" < now()) AS old, count(*) FILTER (WHERE "expiresAt" > now()) AS kept FROM used_nonces`,
    );
    expect([Number(old), Number(kept) > 0]).toEqual([0, true]);
  });
});

(DATABASE_URL ? describe : describe.skip)('replay protection on machines whose clocks differ by', () => {
  it.each([700, -700, 1_900, -1_900, 3_000, 60_000])(
    '%d ms refuses nothing that was signed five seconds ago, accepts nothing twice, and keeps the epoch',
    async (skewMs) => {
      const world = await World.onServer();
      try {
        const replicas = [await world.replica(skewMs), await world.replica()];
        const byTheClock = replicas[1];
        const signed = () => [0, -5, 250].map((ahead) => byTheClock.signedNonce(ahead));
        const first = signed();
        expect(await storm(replicas, first)).toEqual(once(first));
        const { epoch } = await epochOf(world);

        // the epoch that follows begins by the clock of whoever finds out first
        await world.sql('TRUNCATE used_nonces, nonce_generations');
        const second = signed();
        expect(await byOne(replicas[0], second)).toEqual(second.map(() => 'fresh'));
        expect(await storm(replicas, [...first, ...second])).toEqual(never([...first, ...second]));

        // above 2 s it gets no requests any more; those that arrive are answered all the same
        const isTooMuch = Math.abs(skewMs) > 2_000;
        expect(await healthOf(replicas[0])).toMatchObject({
          status: isTooMuch ? 503 : 200,
          body: {
            status: isTooMuch ? 'unavailable' : 'ok',
            database: 'ok',
            clock: expect.stringContaining(
              `is ${(Math.abs(skewMs) / 1_000).toFixed(1)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of PostgreSQL`,
            ),
          },
        });
        expect(await healthOf(replicas[1])).toEqual({
          status: 200,
          body: { status: 'ok', database: 'ok', redis: 'not configured' },
        });

        const third = await world.replica(skewMs);
        const later = signed();
        expect(await storm([...replicas, third], later)).toEqual(once(later));
        expect((await epochOf(world)).epoch).toBe(epoch + 1);
      } finally {
        await world.close();
      }
    },
    30_000,
  );
});

/** What one replica says to each. */
async function byOne(replica: TestReplica, nonces: SignedNonce[]): Promise<string[]> {
  const verdicts: string[] = [];
  for (const nonce of nonces) verdicts.push(await replica.verdict(nonce));
  return verdicts;
}
