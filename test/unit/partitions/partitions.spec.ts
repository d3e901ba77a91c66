import { Logger } from '@nestjs/common';
import { AccountChange } from '../../../src/accounts/change-log/account-change.entity.js';
import { Clock } from '../../../src/common/time/clock.js';
import { DAY_MS } from '../../../src/common/time/days.js';
import type { Database } from '../../../src/common/db/database.js';
import { retrying } from '../../../src/common/db/query/retry.js';
import { rows, type Row } from '../../../src/common/db/query/rows.js';
import { run } from '../../../src/common/db/query/statement.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { IdSequence, BASE_36_LAYOUT } from '../../../src/common/entity/ids.js';
import { Metrics } from '../../../src/common/metrics/metrics.js';
import { OutgoingEvent } from '../../../src/common/outbox/outgoing-event.entity.js';
import { partitionsOf } from '../../../src/common/partitions/partition.statements.js';
import { Partitions } from '../../../src/common/partitions/partitions.js';
import { byTime } from '../../../src/common/partitions/periods.js';
import { ENTITIES } from '../../../src/entities.js';
import { MIGRATIONS } from '../../../src/migrations/index.js';
import { DeliveryFact } from '../../../src/statistics/facts/delivery-fact.entity.js';
import { WebhookAttempt } from '../../../src/webhooks/entities/webhook-delivery.entity.js';
import { onEveryStore, openServer } from '../db/stores.js';

const MODEL = { entities: ENTITIES, migrations: MIGRATIONS };
const YEAR_MS = 365 * DAY_MS;

onEveryStore(
  'partitions',
  (open) => {
    const db = () => open().dataSource.manager;
    const sql = <R>(text: string, values: unknown[] = []) => run<R>(db(), { text, values });
    /** A time so far ahead of those of other tests that their partitions do not matter. */
    let later = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
    let clock: Clock;
    let partitions: Partitions;
    const warned: string[] = [];
    const ids = () => new IdSequence(BASE_36_LAYOUT);

    const replica = (store: Database) => {
      const metrics = new Metrics();
      const own = new Partitions(store.dataSource, clock, metrics);
      own.register(WebhookAttempt, { width: 'day', ahead: 2, keptMs: 7 * DAY_MS });
      return { partitions: own, metrics };
    };
    const attempt = (id: string): Row<WebhookAttempt> => ({
      id,
      deliveryId: 'd',
      startedAt: new Date(later).toISOString(),
      latencyMs: 1,
      status: 200,
      error: null,
      fault: null,
      exchange: null,
    });
    const attempts = (...given: string[]) => write(db(), [insert(WebhookAttempt, given.map(attempt))]);
    const placeOf = async (id: string, table = 'webhook_attempts') =>
      (await sql<{ place: string }>(`SELECT tableoid::regclass::text AS place FROM ${table} WHERE id = $1`, [id])).map(
        ({ place }) => place,
      );
    const suffix = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
    const names = async (table: string) => (await partitionsOf(db(), table)).map(({ name }) => name);

    beforeEach(() => {
      later += YEAR_MS;
      clock = new Clock();
      clock.set(new Date(later + 3_600_000));
      partitions = replica(open()).partitions;
      warned.length = 0;
      Logger.overrideLogger({
        log: () => undefined,
        error: () => undefined,
        warn: (text: string) => void warned.push(text),
      });
    });
    afterAll(() => Logger.overrideLogger(false));

    it('the migrations leave partitions for what is written next', async () => {
      for (const table of ['account_changes', 'webhook_attempts']) {
        const found = await partitionsOf(db(), table);
        expect(found[0]).toMatchObject({ from: '', name: expect.stringMatching(`^${table}_before_\\d{8}$`) });
        for (const [i, { from }] of found.entries()) if (i > 0) expect(from).toBe(found[i - 1].to);
        expect(found.length).toBeGreaterThanOrEqual(2);
        expect(found.at(-1)!.to > ids().next(new Date(Date.now() + 3 * DAY_MS))).toBe(true);
      }
    });

    it('are created ahead, once, and take the rows of their time', async () => {
      const created = await partitions.createAhead();
      const days = [0, 1, 2].map((n) => `webhook_attempts_${suffix(later + n * DAY_MS)}`);
      expect(created).toEqual(days);
      expect(await partitions.createAhead()).toEqual([]);
      const id = ids().next(new Date(later + DAY_MS));
      await attempts(id);
      expect(await placeOf(id)).toEqual([days[1]]);
      const indexes = await sql<{ name: string }>(
        'SELECT indexname AS name FROM pg_indexes WHERE tablename = $1 ORDER BY 1',
        [days[1]],
      );
      expect(indexes.map(({ name }) => name)).toEqual([
        `IDX_957458bb5fa29e6111e085c75c_${suffix(later + DAY_MS)}`,
        `PK_${days[1]}`,
      ]);
    });

    it('a repeated id is rejected by a constraint whose name leads to another attempt', async () => {
      await partitions.createAhead();
      const [first, second] = [new Date(later), new Date(later + 1)].map((time) => ids().next(time));
      await attempts(first);
      let tries = 0;
      await retrying(() => attempts([first, second][tries++]));
      expect([tries, await placeOf(second)]).toEqual([2, [`webhook_attempts_${suffix(later)}`]]);
    });

    it('two replicas at once create each of them once, and drop each of them once', async () => {
      const server = open().server?.connectionString;
      const other = server ? await openServer(server, { model: MODEL }) : open();
      try {
        const both = [partitions, replica(other).partitions];
        const created = await Promise.all(both.map((each) => each.createAhead()));
        expect(created.flat().sort()).toEqual([...new Set(created.flat())].sort());
        expect(created.flat()).toHaveLength(3);
        clock.advance(20 * DAY_MS);
        const removed = await Promise.all(both.map((each) => each.removeOld(WebhookAttempt)));
        expect(removed.reduce((sum, each) => sum + each.partitions, 0)).toBeGreaterThanOrEqual(3);
        for (const name of created.flat()) expect(await names('webhook_attempts')).not.toContain(name);
      } finally {
        if (server) await other.close();
      }
    });

    it('are dropped when all of their rows are old, and not before', async () => {
      await partitions.createAhead();
      await sql('TRUNCATE webhook_attempts');
      const name = `webhook_attempts_${suffix(later)}`;
      const sequence = ids();
      await attempts(...Array.from({ length: 300 }, () => sequence.next(new Date(later))));
      clock.set(new Date(later + 8 * DAY_MS - 1));
      expect(await partitions.removeOld(WebhookAttempt)).toMatchObject({ rows: 0 });
      expect(await names('webhook_attempts')).toContain(name);
      expect(await rows(db(), WebhookAttempt).getMany()).toHaveLength(300);
      clock.set(new Date(later + 8 * DAY_MS));
      expect(await partitions.removeOld(WebhookAttempt)).toEqual({ partitions: 1, rows: 0 });
      expect(await names('webhook_attempts')).not.toContain(name);
      expect(await rows(db(), WebhookAttempt).getExists()).toBe(false);
    });

    it('a few old rows are deleted at once, and none that is not old', async () => {
      await partitions.createAhead();
      await sql('TRUNCATE webhook_attempts');
      const sequence = ids();
      await attempts(...Array.from({ length: 100 }, () => sequence.next(new Date(later))));
      const kept = sequence.next(new Date(later + 10_000));
      await attempts(kept);
      clock.set(new Date(later + 7 * DAY_MS + 5_000));
      expect((await partitions.removeOld(WebhookAttempt)).rows).toBe(100);
      expect(await rows(db(), WebhookAttempt).getMany()).toMatchObject([{ id: kept }]);
    });

    it('a row of a time without a partition is read like others, is reported, and moves when its time comes', async () => {
      await sql('TRUNCATE webhook_attempts');
      const { metrics } = replica(open());
      const figure = async () =>
        Number(/marquee_partition_strays\{table="webhook_attempts"\} (\d+)/.exec(await metrics.text())?.[1]);
      expect(await figure()).toBe(0);
      const id = ids().next(new Date(later + 100 * DAY_MS));
      await attempts(id);
      expect(await placeOf(id)).toEqual(['webhook_attempts_default']);
      expect(await figure()).toBe(1);
      clock.set(new Date(later + 99 * DAY_MS));
      await partitions.createAhead();
      expect(await placeOf(id)).toEqual([`webhook_attempts_${suffix(later + 100 * DAY_MS)}`]);
      expect(await figure()).toBe(0);
    });

    it('a table can be divided by a time, with a key of several columns', async () => {
      const own = new Partitions(open().dataSource, clock, new Metrics());
      own.register(DeliveryFact, { width: 'month', ahead: 1, key: byTime('hour') });
      const hour = new Date(later + 31 * DAY_MS).toISOString();
      await sql(
        `INSERT INTO delivery_facts ("accountId", "lineItemId", hour, placement, "promotedId", "promotedKind", "campaignId", "fundingInstrumentId")
          VALUES ('a', 'l', $1, 'ALL_ON_PLATFORM', 'p', 'PROMOTED_POST', 'c', 'f')`,
        [hour],
      );
      const place = () => sql('SELECT tableoid::regclass::text AS place FROM delivery_facts WHERE hour = $1', [hour]);
      expect(await place()).toEqual([{ place: 'delivery_facts_default' }]);
      const created = await own.createAhead();
      expect(created).toHaveLength(2);
      expect(await place()).toEqual([{ place: `delivery_facts_${hour.slice(0, 7).replace('-', '')}01` }]);
      expect(await own.createAhead()).toEqual([]);
      const keys = await sql<{ name: string }>(
        `SELECT indexname AS name FROM pg_indexes WHERE tablename = $1 ORDER BY 1`,
        [created[1]],
      );
      expect(keys.map(({ name }) => name)).toEqual([
        `PK_${created[1]}`,
        created[1].replace('facts_', 'facts_by_hour_'),
      ]);
    });

    it('can be created for the times of test clocks, and rows beyond them are no strays', async () => {
      const metrics = new Metrics();
      const own = new Partitions(open().dataSource, clock, metrics);
      own.register(DeliveryFact, { width: 'month', ahead: 1, key: byTime('hour') });
      const at = (days: number) => new Date(later + days * DAY_MS);
      const place = async (hour: Date) => {
        await sql(
          `INSERT INTO delivery_facts ("accountId", "lineItemId", hour, placement, "promotedId", "promotedKind", "campaignId", "fundingInstrumentId")
            VALUES ('a', 'clock', $1, 'ALL_ON_PLATFORM', 'p', 'PROMOTED_POST', 'c', 'f')`,
          [hour.toISOString()],
        );
        const text = 'SELECT tableoid::regclass::text AS place FROM delivery_facts WHERE hour = $1';
        return (await sql<{ place: string }>(text, [hour.toISOString()])).map((each) => each.place);
      };
      const monthOf = (hour: Date) => [`delivery_facts_${hour.toISOString().slice(0, 7).replace('-', '')}01`];
      await own.cover(DeliveryFact, at(200), at(300));
      await own.cover(DeliveryFact, at(220), at(300));
      for (const days of [201, 299]) expect(await place(at(days))).toEqual(monthOf(at(days)));
      for (const days of [150, 400]) expect(await place(at(days))).toEqual(['delivery_facts_default']);
      expect(await metrics.text()).toContain('marquee_partition_strays{table="delivery_facts"} 0');
      expect(await place(at(1))).toEqual(['delivery_facts_default']);
      expect(await metrics.text()).toContain('marquee_partition_strays{table="delivery_facts"} 1');
      await own.cover(DeliveryFact, at(390), at(4_000));
      expect(await place(at(401))).toEqual(monthOf(at(401)));
      expect(await place(at(800))).toEqual(['delivery_facts_default']);
    });

    it('too many rows of a time without a partition stay where they are, until they are old', async () => {
      await sql('TRUNCATE webhook_attempts');
      const id = ids().next(clock.now()).slice(0, 8);
      await sql(
        `INSERT INTO webhook_attempts SELECT $1 || lpad(n::text, 5, '0'), 'd', now(), 1, 200, NULL FROM generate_series(1, 10001) AS n`,
        [id],
      );
      const created = await partitions.createAhead();
      expect(created).not.toContain(`webhook_attempts_${suffix(later)}`);
      expect(created).toContain(`webhook_attempts_${suffix(later + DAY_MS)}`);
      expect(warned).toEqual([expect.stringContaining(`webhook_attempts gets no partition ${suffix(later)}`)]);
      clock.set(new Date(later + 8 * DAY_MS));
      expect((await partitions.removeOld(WebhookAttempt)).rows).toBe(10_001);
    });

    it('a table that keeps its rows for ever loses none', async () => {
      const own = new Partitions(open().dataSource, clock, new Metrics());
      own.register(AccountChange, { width: 'year', ahead: 1 });
      const before = await names('account_changes');
      await own.removeAllOld();
      expect(await own.removeOld(AccountChange)).toEqual({ partitions: 0, rows: 0 });
      expect(await names('account_changes')).toEqual(before);
    });

    it('the functions change partitions only', async () => {
      await expect(sql(`SELECT marquee_add_partition('webhooks', 'webhooks_1', 'a', 'b')`)).rejects.toThrow(
        'not a partitioned',
      );
      for (const [table, name] of [
        ['webhooks', 'webhooks'],
        ['webhook_attempts', 'webhooks'],
        ['webhook_attempts', 'webhook_attempts_default'],
        ['x', 'y'],
      ])
        expect(await sql('SELECT marquee_drop_partition($1, $2) AS outcome', [table, name])).toEqual([
          { outcome: 'absent' },
        ]);
      expect(await sql('SELECT FROM webhooks LIMIT 1')).toEqual([]);
      expect(await rows(db(), OutgoingEvent).getMany()).toEqual([]);
    });
  },
  MODEL,
);
