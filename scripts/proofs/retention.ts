import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Clock } from '../../src/common/time/clock.js';
import { DAY_MS } from '../../src/common/time/days.js';
import { type Database, openDatabase } from '../../src/common/db/database.js';
import { migrate } from '../../src/common/db/migrate.js';
import { deleteInBatches } from '../../src/common/db/query/delete-in-batches.js';
import { rows } from '../../src/common/db/query/rows.js';
import { firstIdOf, newId } from '../../src/common/entity/ids.js';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { Partitions } from '../../src/common/partitions/partitions.js';
import { readConfig } from '../../src/config/config.js';
import { ENTITIES } from '../../src/entities.js';
import { MIGRATIONS } from '../../src/migrations/index.js';
import { claimDue, record } from '../../src/webhooks/deliveries/delivery.statements.js';
import { WebhookAttempt } from '../../src/webhooks/entities/webhook-delivery.entity.js';
import { connected } from './support/creates.js';
import { Postgres } from './support/postgres.js';
import { settings } from './support/settings.js';
import { type Stage, withStage } from './support/stage.js';
import { atMost, type Figure, noted, worded } from './support/table.js';

const KEPT_MS = 7 * DAY_MS;
/** The first partition ends a day or two after the migration; then it has to grow old. */
const UNTIL_OLD_MS = KEPT_MS + 3 * DAY_MS;
/** Slots of ids, each shorter than a minute: the last eight digits of an id count for 42 seconds. */
const SLOT_MS = 60_000;
const FREE_DIGITS = 8;
const BEFORE_PARTITIONS = MIGRATIONS.findIndex(({ name }) => name.startsWith('PartitionAccountChanges'));
const BATCH = 1_000;
const FOR_COMPARISON_MS = 10_000;

/** By name, for `--only`. */
const PARTS = { 'in batches': inBatches, 'by partition': byPartition };

/**
 * Ten million old attempts at deliveries are removed while others are recorded: by batches of the plain table, and by the
 * partition of the partitioned one. The migration between the two delays no write for longer than a second.
 */
export function prove(): Promise<Figure[]> {
  const count = settings.quick ? 300_000 : 10_000_000;
  return withStage(async (stage) => {
    const postgres = await Postgres.start(stage, ['max_wal_size=8GB', 'shared_buffers=1GB']);
    const figures: Figure[] = [];
    for (const [part, prove] of Object.entries(PARTS)) {
      if (!part.includes(settings.only)) continue;
      figures.push(...(await prove(stage, postgres, count)).map((figure) => ({ ...figure, part })));
    }
    return figures;
  });
}

async function inBatches(stage: Stage, postgres: Postgres, count: number): Promise<Figure[]> {
  const plain = await filled(stage, postgres, 'plain', count);
  const quiet = await beside(plain, new Clock(), () => pause(FOR_COMPARISON_MS));
  const before = firstIdOf(new Date(Date.now() - KEPT_MS));
  const old = rows(plain.dataSource.manager, WebhookAttempt).whereLessThan('id', before);
  const figures = await measured(plain, 'deletion', new Clock(), () => deleteInBatches(old, { batch: BATCH }));
  return [noted('recording without it, p50 and p99', quiet.latency), ...figures, await size(plain)];
}

async function byPartition(stage: Stage, postgres: Postgres, count: number): Promise<Figure[]> {
  const plain = await filled(stage, postgres, 'partitioned', count);
  const partitioned = await open(stage, postgres, 'partitioned', MIGRATIONS.length);
  const clock = new Clock();
  const migration = await beside(plain, clock, () => migrate(partitioned));
  const stored = await total(partitioned);
  clock.advance(UNTIL_OLD_MS);
  const partitions = new Partitions(partitioned.dataSource, clock, new Metrics());
  partitions.register(WebhookAttempt, { width: 'day', ahead: 4, keptMs: KEPT_MS });
  await partitions.createAhead();
  const quiet = await beside(partitioned, clock, () => pause(FOR_COMPARISON_MS));
  const figures = await measured(partitioned, 'removal', clock, () => partitions.removeOld(WebhookAttempt));
  return [
    noted('migration', worded(migration.seconds, 's')),
    atMost('longest wait of a write during the migration', migration.longestMs, 1_000, 'ms'),
    atMost('rows lost by the migration', Math.abs(count + migration.recorded - stored), 0),
    noted('recording without it, p50 and p99', quiet.latency),
    ...figures,
    atMost('longest wait of a write during the removal', Number(/\d+/.exec(figures[1].measured)![0]), 1_000, 'ms'),
    await size(partitioned),
  ];
}

/** What it takes to remove the rows, and how long others wait. */
async function measured(store: Database, name: string, clock: Clock, work: () => Promise<unknown>): Promise<Figure[]> {
  const position = await lsn(store);
  const { seconds, longestMs, latency, recorded } = await beside(store, clock, work);
  const [{ bytes }] = await sql<{ bytes: string }>(
    store,
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '${position}') AS bytes`,
  );
  return [
    noted(name, worded(seconds, 's')),
    noted(`longest wait during the ${name}`, worded(longestMs, 'ms')),
    noted(`recording during the ${name}, p50 and p99`, latency),
    noted(
      `write-ahead log of the ${name}`,
      `${worded(Number(bytes) / 2 ** 20, 'MiB')}, with ${recorded} attempts recorded`,
    ),
  ];
}

interface Beside {
  seconds: number;
  longestMs: number;
  latency: string;
  recorded: number;
}

/** Does the work while deliveries are claimed and attempts recorded, one after the other, as a delivery worker does. */
async function beside(store: Database, clock: Clock, work: () => Promise<unknown>): Promise<Beside> {
  const db = store.dataSource.manager;
  const waits: number[] = [];
  let isOver = false;
  const attempt = () => {
    const now = clock.now().toISOString();
    return {
      attemptId: newId(clock.now()),
      deliveryId: 'none',
      webhookId: 'none',
      startedAt: now,
      latencyMs: 1,
      status: 200,
      error: null,
      fault: null,
      exchange: null,
      nextFault: null,
      state: 'DELIVERED' as const,
      dueAt: null,
      settledAt: now,
    };
  };
  const recording = (async () => {
    while (!isOver) {
      const now = clock.now().toISOString();
      const began = performance.now();
      await record(db, [attempt()], now);
      await claimDue(db, { now, until: now, limit: 10, limitOfOne: 4, others: new Map() });
      waits.push(performance.now() - began);
      await pause(5);
    }
  })();
  const began = performance.now();
  try {
    await work();
  } finally {
    isOver = true;
  }
  const seconds = (performance.now() - began) / 1_000;
  await recording;
  waits.sort((a, b) => a - b);
  const at = (share: number) => waits[Math.floor((waits.length - 1) * share)];
  const latency = `${worded(at(0.5), 'ms')}, ${worded(at(0.99), 'ms')}`;
  return { seconds, longestMs: Math.ceil(at(1)), latency, recorded: waits.length };
}

async function open(stage: Stage, postgres: Postgres, name: string, migrations: number): Promise<Database> {
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  const config = readConfig({ NODE_ENV: 'development', DATABASE_URL: url.href, DATA_DIR: stage.folder });
  const store = await openDatabase(config, { entities: ENTITIES, migrations: MIGRATIONS.slice(0, migrations) });
  stage.atEnd(() => store.close());
  return store;
}

/** A database without partitions that has so many attempts, from 20 to 8 days ago. */
async function filled(stage: Stage, postgres: Postgres, name: string, count: number): Promise<Database> {
  await connected(postgres.url, (client) => client.query(`CREATE DATABASE ${name}`));
  const store = await open(stage, postgres, name, BEFORE_PARTITIONS);
  await migrate(store);
  const first = Date.now() - 20 * DAY_MS;
  const slots = Array.from({ length: (12 * DAY_MS) / SLOT_MS }, (_, i) =>
    firstIdOf(new Date(first + i * SLOT_MS)).slice(0, -FREE_DIGITS),
  );
  const each = Math.ceil(count / slots.length);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  await connected(url.href, async (client: pg.Client) => {
    await client.query(
      `INSERT INTO webhook_attempts SELECT slot || lpad(n::text, ${FREE_DIGITS}, '0'), slot || lpad(n::text, ${FREE_DIGITS}, '0') || '-1234567890123456',
        now(), 48, 200, NULL FROM unnest($1::text[]) AS slot, generate_series(1, $2::int) AS n LIMIT $3`,
      [slots, each, count],
    );
    await client.query('VACUUM (ANALYZE) webhook_attempts');
    await client.query('CHECKPOINT');
  });
  return store;
}

const sql = <R>(store: Database, text: string): Promise<R[]> => store.dataSource.query(text);

const lsn = async (store: Database) => (await sql<{ at: string }>(store, 'SELECT pg_current_wal_lsn() AS at'))[0].at;

async function total(store: Database): Promise<number> {
  const runner = store.dataSource.createQueryRunner();
  try {
    await runner.query('SET statement_timeout = 0');
    const [{ n }] = (await runner.query('SELECT count(*)::int AS n FROM webhook_attempts')) as { n: number }[];
    return n;
  } finally {
    await runner.query('RESET statement_timeout');
    await runner.release();
  }
}

/** The files of the table and its indexes afterwards. */
async function size(store: Database): Promise<Figure> {
  const [{ mib }] = await sql<{ mib: number }>(
    store,
    `SELECT round(sum(pg_total_relation_size(oid)) / 1048576)::int AS mib FROM pg_class WHERE relkind = 'r' AND relname LIKE 'webhook_attempts%'`,
  );
  return noted('files of the table afterwards', worded(mib, 'MiB'));
}
