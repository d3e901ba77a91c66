import pg from 'pg';
import { locationOf } from '../src/audiences/locations/countries.js';
import { HOUR_MS } from '../src/common/time/days.js';
import type { AudienceCriterion } from '../src/statistics/facts/delivery-audience.entity.js';
import { firstHourOf, localDay } from '../src/common/time/time-zones.js';
import { idOf } from './cases.js';
import type { BenchAccount, World } from './world.js';

export const ZONE = 'America/Los_Angeles';
/** Local days with facts. */
export const DAYS = 90;
/** Promoted posts of a line item, each with a fact for every hour. */
const THINGS = 2;
/** Line items of an account, ten in a campaign. */
const MAX_ITEMS = 500;
const ITEMS_OF_CAMPAIGN = 10;
/** Audiences of an account; each of its line items targets one. */
const AUDIENCES = 20;

/** How many facts a line item has. */
export const FACTS_OF_ITEM = THINGS * DAYS * 24;
/** The number of accounts for so many facts. */
export const accountsFor = (facts: number): number => Math.ceil(facts / (FACTS_OF_ITEM * MAX_ITEMS));

/** An account with delivery. */
export interface DeliveringAccount extends BenchAccount {
  campaigns: string[];
  items: string[];
}

/** What was delivered, and how large it is. */
export interface Delivery {
  accounts: DeliveringAccount[];
  /** The beginnings of the days, and the end of the last one, in milliseconds. */
  bounds: number[];
  facts: number;
  days: number;
  bytes: { facts: number; days: number };
}

/**
 * Fills 90 days from the next month on, whose partitions exist, with facts of every hour, in the order in which the service
 * stores them, and with their sums by day. Tables are not logged, and indexes are made afterwards.
 */
export async function fillDelivery(world: World, facts: number): Promise<Delivery> {
  const client = new pg.Client(world.databaseUrl);
  await client.connect();
  try {
    await client.query(`SET maintenance_work_mem = '1GB'; SET synchronous_commit = off; SET work_mem = '256MB'`);
    const bounds = daysFrom(nextMonth());
    const accounts = accountsOf(world, facts);
    await prepare(client, bounds);
    for (const [n, account] of accounts.entries()) await fillAccount(client, account, n);
    await fillFacts(client, bounds);
    await fillDays(client, bounds, accounts);
    for (const text of INDEXES) await client.query(text);
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
    return { accounts, bounds, ...(await sizesOf(client)) };
  } finally {
    await client.end();
  }
}

const nextMonth = () => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 2);
};

function daysFrom(ms: number): number[] {
  const first = localDay(ZONE, ms);
  return Array.from({ length: DAYS + 1 }, (_, i) => firstHourOf(ZONE, first + i));
}

function accountsOf({ account, written }: World, facts: number): DeliveringAccount[] {
  let left = Math.max(20, Math.round(facts / FACTS_OF_ITEM));
  let made = 0;
  return [account, ...written].flatMap((each) => {
    const count = Math.min(left, MAX_ITEMS);
    left -= count;
    if (count === 0) return [];
    const items = Array.from({ length: count }, (_, i) => `l${idOf(made + i + 1).slice(1)}`);
    const campaigns = Array.from({ length: Math.ceil(count / ITEMS_OF_CAMPAIGN) }, (_, i) => idOf(made + i + 1));
    made += count;
    return [{ ...each, items, campaigns }];
  });
}

/** Drops the indexes, gives each month a partition, and does not log what is stored in them. */
async function prepare(client: pg.Client, bounds: readonly number[]): Promise<void> {
  for (const table of ['delivery_facts', 'delivery_days']) {
    for (let month = new Date(bounds[0]); month.getTime() < bounds[DAYS];) {
      const from = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth(), 1));
      const to = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1));
      const name = `${table}_${from.toISOString().slice(0, 10).replaceAll('-', '')}`;
      await client.query('SELECT marquee_add_partition($1, $2, $3, $4)', [table, name, from.toISOString(), to.toISOString()]); // prettier-ignore
      month = to;
    }
    const { rows } = await client.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass`,
      [table],
    );
    for (const { name } of rows) await client.query(`ALTER TABLE ${name} SET UNLOGGED`);
  }
  await client.query(`ALTER TABLE delivery_facts DROP CONSTRAINT "PK_delivery_facts"; DROP INDEX delivery_facts_by_hour;
    ALTER TABLE delivery_days DROP CONSTRAINT "PK_delivery_days"; DROP INDEX delivery_days_by_start;
    CREATE UNLOGGED TABLE bench_things (n bigint, "accountId" varchar COLLATE "C", "lineItemId" varchar COLLATE "C", "campaignId" varchar COLLATE "C",
      "fundingInstrumentId" varchar COLLATE "C", "promotedId" varchar COLLATE "C", "postId" varchar COLLATE "C", "audienceId" varchar COLLATE "C")`);
}

const INDEXES = [
  `ALTER TABLE delivery_facts ADD CONSTRAINT "PK_delivery_facts" PRIMARY KEY ("accountId", "lineItemId", hour, placement, "promotedId")`,
  `CREATE INDEX delivery_facts_by_hour ON delivery_facts ("accountId", hour)`,
  `ALTER TABLE delivery_days ADD CONSTRAINT "PK_delivery_days" PRIMARY KEY ("accountId", "lineItemId", start, placement, "promotedId", "audienceId")`,
  `CREATE INDEX delivery_days_by_start ON delivery_days ("accountId", start)`,
];

/** Every second audience is in the United States, every third one has an age. */
const criteriaOf = (n: number): AudienceCriterion[] => [
  ...(n % 3 === 0 ? [['AGE', n % 2 === 0 ? 'AGE_18_TO_49' : 'AGE_OVER_25', 'EQ'] as const] : []),
  ...(n % 2 === 0 ? [['LOCATION', locationOf('US'), 'EQ'] as const] : []),
];
const audienceOf = (n: number): string => n.toString(16).padStart(16, 'a');

async function fillAccount(client: pg.Client, account: DeliveringAccount, n: number): Promise<void> {
  const { id, fundingId, items, campaigns } = account;
  await client.query(
    `INSERT INTO campaigns (id, "createdAt", "updatedAt", "accountId", "fundingInstrumentId", name, currency, "budgetOptimization",
        "dailyBudgetAmountLocalMicro", "standardDelivery", "entityStatus", complete)
      SELECT c.id, now(), now(), $1, $2, 'Campaign ' || c.id, 'USD', 'CAMPAIGN', 500000000, true, 'ACTIVE', true
      FROM unnest($3::varchar[]) c (id)`,
    [id, fundingId, campaigns],
  );
  await client.query(
    `INSERT INTO line_items (id, "createdAt", "updatedAt", "accountId", "campaignId", "fundingInstrumentId", currency, "productType",
        objective, goal, placements, categories, "bidStrategy", "payBy", "startTime", "endTime", "creativeSource", "entityStatus",
        creatives, counted)
      SELECT i.id, now(), now(), $1, ($4::varchar[])[(i.n - 1) / ${ITEMS_OF_CAMPAIGN} + 1], $2, 'USD', 'PROMOTED_POSTS', 'REACH', 'MAX_REACH',
        ARRAY['ALL_ON_PLATFORM'], ARRAY[]::varchar[], 'AUTO', 'IMPRESSION', now(), now() + interval '10 years', 'MANUAL', 'ACTIVE', 1, false
      FROM unnest($3::varchar[]) WITH ORDINALITY i (id, n)`,
    [id, fundingId, items, campaigns],
  );
  const audiences = Array.from({ length: AUDIENCES }, (_, i) => ({ id: audienceOf(i), criteria: criteriaOf(i) }));
  await client.query(
    `INSERT INTO delivery_audiences ("accountId", id, criteria, users, "estimatedAt")
      SELECT $1, a.id, a.criteria, 1000000, now() FROM jsonb_to_recordset($2::jsonb) a (id varchar, criteria jsonb)`,
    [id, JSON.stringify(audiences)],
  );
  await client.query(
    `INSERT INTO bench_things
      SELECT $3 + 2 * i.n + t, $1, i.id, ($5::varchar[])[(i.n - 1) / ${ITEMS_OF_CAMPAIGN} + 1], $2, 'p' || t || right(i.id, 11),
        (15e14::bigint + $3 + 2 * i.n + t)::text, ($6::varchar[])[i.n % ${AUDIENCES} + 1]
      FROM unnest($4::varchar[]) WITH ORDINALITY i (id, n), generate_series(0, ${THINGS - 1}) t ORDER BY 1`,
    [id, fundingId, n * 10_000, items, campaigns, audiences.map((each) => each.id)],
  );
}

/** The counts of a thing in an hour: some hundred impressions, and what follows from them. */
const COUNTS: Readonly<Record<string, string>> = {
  impressions: 'c.i',
  engagements: 'c.i / 110 + c.i / 200 + c.i / 1100 + c.i / 2500 + c.i / 166 + c.f',
  retweets: 'c.i / 1100',
  replies: 'c.i / 2500',
  likes: 'c.i / 200',
  follows: 'c.f',
  cardEngagements: 'c.i / 110',
  clicks: 'c.i / 110 + c.i / 200 + c.i / 1100 + c.i / 2500 + c.i / 166',
  urlClicks: 'c.i / 110',
  qualifiedImpressions: 'c.i * 7 / 10',
  billedEngagements: 'c.i',
  billedChargeLocalMicro: 'c.i * 6000::bigint',
};
const NAMES = Object.keys(COUNTS).map((name) => `"${name}"`);
const THING = '"accountId", "lineItemId", "promotedId", "audienceId"';

/** All things in the hours from $1 on, as many as $2. */
const HOURS = `bench_things t CROSS JOIN generate_series(0, $2::int - 1) h
  CROSS JOIN LATERAL (SELECT $1::timestamptz + h * interval '1 hour' AS hour) a
  CROSS JOIN LATERAL (SELECT (50 + (t.n * 7919 + extract(epoch FROM a.hour)::bigint / 3600 * 104729) % 700)::int AS i,
    ((t.n + extract(epoch FROM a.hour)::bigint / 3600) % 23 = 0)::int AS f) c`;

async function fillFacts(client: pg.Client, bounds: readonly number[]): Promise<void> {
  const values = Object.values(COUNTS).join(', ');
  const text = `INSERT INTO delivery_facts (${THING}, hour, placement, "promotedKind", "campaignId", "fundingInstrumentId", "postId", ${NAMES.join(', ')})
    SELECT t."accountId", t."lineItemId", t."promotedId", t."audienceId", a.hour, 'ALL_ON_PLATFORM', 'PROMOTED_POST', t."campaignId",
      t."fundingInstrumentId", t."postId", ${values} FROM ${HOURS}`;
  for (let hour = bounds[0]; hour < bounds[DAYS]; hour += HOUR_MS)
    await client.query(text, [new Date(hour).toISOString(), 1]);
}

async function fillDays(
  client: pg.Client,
  bounds: readonly number[],
  accounts: readonly BenchAccount[],
): Promise<void> {
  const sums = Object.values(COUNTS).map((count) => `sum(${count})`);
  const text = `INSERT INTO delivery_days (${THING}, start, placement, "promotedKind", "firstHour", "lastHour", ${NAMES.join(', ')})
    SELECT t."accountId", t."lineItemId", t."promotedId", t."audienceId", $1::timestamptz, 'ALL_ON_PLATFORM', 'PROMOTED_POST',
      min(a.hour), max(a.hour), ${sums.join(', ')} FROM ${HOURS} GROUP BY t.n, 1, 2, 3, 4 ORDER BY t.n`;
  for (let day = 0; day < DAYS; day++) {
    const hours = (bounds[day + 1] - bounds[day]) / HOUR_MS;
    await client.query(text, [new Date(bounds[day]).toISOString(), hours]);
  }
  await client.query(
    `INSERT INTO delivery_rollups ("accountId", until) SELECT id, $2 FROM unnest($1::varchar[]) a (id)`,
    [accounts.map(({ id }) => id), new Date(bounds[DAYS]).toISOString()],
  );
}

async function sizesOf(client: pg.Client): Promise<Pick<Delivery, 'facts' | 'days' | 'bytes'>> {
  const { rows } = await client.query<Record<'facts' | 'days' | 'factBytes' | 'dayBytes', string>>(
    `SELECT (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'delivery_facts'::regclass) AS "factBytes",
      (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'delivery_days'::regclass) AS "dayBytes",
      (SELECT sum(reltuples) FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE i.inhparent = 'delivery_facts'::regclass) AS facts,
      (SELECT sum(reltuples) FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE i.inhparent = 'delivery_days'::regclass) AS days`,
  );
  const { facts, days, factBytes, dayBytes } = rows[0];
  return { facts: Number(facts), days: Number(days), bytes: { facts: Number(factBytes), days: Number(dayBytes) } };
}
