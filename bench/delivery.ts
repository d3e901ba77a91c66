import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { HOUR_MS } from '../src/common/time/days.js';
import { SimulatedDelivery } from '../src/statistics/delivery/simulated-delivery.service.js';
import { fillUsers } from './estimates.js';
import { withService } from './sizes.js';
import { median } from './statistics.js';
import { query, type World } from './world.js';

const ITEMS_OF_CAMPAIGN = 50;
const POSTS = 100;
/** Different sets of criteria. */
const AUDIENCES = 500;
const CRITERIA = 5;
/** Of the directory. */
const USERS = 100_000;
/** The account whose line items the reference serves: a copy of the tables' rows. */
const REFERENCE = 'reference';
/** The first hour of a local day, and the number of hours that pass before the first one that counts. */
const FIRST_HOUR = Date.UTC(2026, 11, 7, 8);
const PASSED = 6;

/** How long an hour takes, and the same facts and amounts by hand, in milliseconds. */
export interface DeliveryTimes {
  name: string;
  facts: number;
  /** Medians of the rounds. */
  ours: number;
  reference: number;
  /** The median of the quotients of the rounds. */
  ratio: number;
}

/** What changes before each hour of a case. */
interface Case {
  name: string;
  before?: (accountId: string, hour: Date) => string;
}

const isKnown = (accountId: string, hour: Date) =>
  `UPDATE delivery_audiences SET "estimatedAt" = '${hour.toISOString()}' WHERE "accountId" = '${accountId}'`;

const CASES: Case[] = [
  { name: '25 audiences estimated' },
  { name: 'all audiences known', before: isKnown },
  {
    // less than an event costs, so that one event ends it
    name: 'most budgets run out',
    before: (accountId, hour) => `${isKnown(accountId, hour)};
      UPDATE line_items SET "totalBudgetAmountLocalMicro" = "spentLocalMicro" + 90000 WHERE "accountId" = '${accountId}'`,
  },
];

/**
 * Simulates the evening of an account with so many line items, each with a promoted post and five keywords; every fifth is
 * shown on the partner network, too. The reference copies the facts of the hour and adds their charges, in one transaction.
 */
export async function measureDelivery(world: World, items: number, rounds: number): Promise<DeliveryTimes[]> {
  await fillUsers(world, USERS);
  await fillDelivery(world, items);
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    return await withService(world, { SANDBOX: 'true', DELIVERY: 'simulated', ROLE: 'api' }, async ({ app }) => {
      const delivery = app.get(SimulatedDelivery);
      await delivery.deliverHour(world.account.id, new Date(FIRST_HOUR));
      await repeatFirstHour(world);
      const summaries: DeliveryTimes[] = [];
      let next = FIRST_HOUR + PASSED * HOUR_MS;
      for (const { name, before } of CASES) {
        const times: Times[] = [];
        // the first round is not counted: much of the code is not compiled yet
        for (let round = -1; round < rounds; round++, next += HOUR_MS) {
          const hour = new Date(next);
          if (before) await query(world.databaseUrl, before(world.account.id, hour));
          const ours = await timed(() => delivery.deliverHour(world.account.id, hour));
          const facts = await factsOf(client, world.account.id, hour);
          const reference = await timed(() => byHand(client, facts, hour));
          if (round >= 0) times.push({ ours, reference, facts: facts.count });
        }
        summaries.push(summary(`${items} line items, ${name}`, times));
      }
      return summaries;
    });
  } finally {
    await client.end();
  }
}

interface Times {
  ours: number;
  reference: number;
  facts: number;
}

/** The facts of the first hour again for the hours that pass: the daily budgets depend on all of them. */
async function repeatFirstHour({ databaseUrl, account }: World): Promise<void> {
  const columns = (await factColumns(databaseUrl)).map((name) => `f."${name}"`);
  const moved = columns.map((name) => (name === 'f."hour"' ? `f.hour + n * interval '1 hour'` : name));
  await query(
    databaseUrl,
    `INSERT INTO delivery_facts (${columns.map((name) => name.slice(2)).join(', ')})
      SELECT ${moved.join(', ')} FROM delivery_facts f, generate_series(1, ${PASSED - 1}) AS n WHERE f."accountId" = '${account.id}'`,
  );
  await query(databaseUrl, 'VACUUM (ANALYZE)');
  await query(databaseUrl, 'CHECKPOINT');
}

async function factColumns(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { fields } = await client.query('SELECT * FROM delivery_facts LIMIT 0');
  await client.end();
  return fields.map(({ name }) => name);
}

function summary(name: string, times: readonly Times[]): DeliveryTimes {
  const of = (figure: (time: Times) => number) => median(times.map(figure));
  return {
    name,
    facts: of(({ facts }) => facts),
    ours: of(({ ours }) => ours),
    reference: of(({ reference }) => reference),
    ratio: of(({ ours, reference }) => ours / reference),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

interface CopiedFacts {
  text: Buffer;
  count: number;
}

/** The facts of an hour as those of the reference. */
async function factsOf(client: pg.Client, accountId: string, hour: Date): Promise<CopiedFacts> {
  const copy = client.query(
    copyTo(`COPY (SELECT * FROM delivery_facts WHERE "accountId" = '${accountId}' AND hour = '${hour.toISOString()}'
      ORDER BY "lineItemId", placement) TO STDOUT`),
  );
  const text = Buffer.concat((await copy.toArray()) as Buffer[]).toString('latin1');
  const renamed = text.replaceAll(`${accountId}\t`, `${REFERENCE}\t`);
  return { text: Buffer.from(renamed, 'latin1'), count: renamed.split('\n').length - 1 };
}

/** Stores the facts with COPY and adds their charges with three updates. */
async function byHand(client: pg.Client, { text }: CopiedFacts, hour: Date): Promise<void> {
  await client.query('BEGIN');
  await pipeline(Readable.from([text]), client.query(copyFrom('COPY delivery_facts FROM STDIN')));
  for (const [table, column] of [
    ['line_items', 'lineItemId'],
    ['campaigns', 'campaignId'],
    ['funding_instruments', 'fundingInstrumentId'],
  ])
    await client.query(
      `UPDATE ${table} r SET "spentLocalMicro" = r."spentLocalMicro" + s.amount
        FROM (SELECT "${column}" AS id, sum("billedChargeLocalMicro")::bigint AS amount FROM delivery_facts
          WHERE "accountId" = $1 AND hour = $2::timestamptz GROUP BY 1) s WHERE r."accountId" = $1 AND r.id = s.id`,
      [REFERENCE, hour.toISOString()],
    );
  await client.query('COMMIT');
}

/** An account in the sandbox with line items that serve, and a copy of its rows for the reference. */
export async function fillDelivery({ databaseUrl, account, author }: World, items: number): Promise<void> {
  const campaigns = Math.ceil(items / ITEMS_OF_CAMPAIGN);
  const campaignId = (n: string) => `'c' || lpad((${n} / ${ITEMS_OF_CAMPAIGN})::text, 8, '0')`;
  const itemId = (n: string) => `'l' || lpad(${n}::text, 8, '0')`;
  const made = `'2026-01-01', '2026-01-01'`;
  const run = (text: string) => query(databaseUrl, text);
  await run(`UPDATE accounts SET environment = 'sandbox' WHERE id = '${account.id}'`);
  await run(`INSERT INTO campaigns (id, "createdAt", "updatedAt", "accountId", "fundingInstrumentId", name, currency, "budgetOptimization",
      "dailyBudgetAmountLocalMicro", "totalBudgetAmountLocalMicro", "standardDelivery", "entityStatus", complete)
    SELECT ${campaignId(`(n * ${ITEMS_OF_CAMPAIGN})`)}, ${made}, '${account.id}', '${account.fundingId}', 'Campaign ' || n, 'USD', 'CAMPAIGN', 5000000000,
      500000000000, true, 'ACTIVE', true FROM generate_series(0, ${campaigns - 1}) AS n`);
  await run(`INSERT INTO line_items (id, "createdAt", "updatedAt", "accountId", "campaignId", "fundingInstrumentId", currency, "productType",
      objective, goal, placements, categories, "bidStrategy", "bidAmountLocalMicro", "payBy", "startTime", "endTime", "creativeSource",
      "entityStatus", creatives, counted, "totalBudgetAmountLocalMicro")
    SELECT ${itemId('n')}, ${made}, '${account.id}', ${campaignId('n')}, '${account.fundingId}', 'USD', 'PROMOTED_POSTS', 'ENGAGEMENTS',
      'ENGAGEMENT', CASE WHEN n % 5 = 0 THEN '{ALL_ON_PLATFORM,PUBLISHER_NETWORK}' ELSE '{ALL_ON_PLATFORM}' END::varchar[], '{}',
      CASE WHEN n % 2 = 0 THEN 'MAX' ELSE 'AUTO' END, CASE WHEN n % 2 = 0 THEN 150000 END, 'ENGAGEMENT', '2026-01-01', '2036-01-01',
      'MANUAL', 'ACTIVE', 1, true, CASE WHEN n % 3 = 0 THEN 10000000000 END
    FROM generate_series(0, ${items - 1}) AS n`);
  await run(`INSERT INTO posts (id, "createdAt", "updatedAt", "accountId", "authorId", text, lang, entities, nullcast, "mediaKeys",
      "conversationSettings", conversational, digest)
    SELECT (5e14::bigint + n)::text, ${made}, '${account.id}', '${author}', 'Our offer number ' || n, 'und',
      '{"hashtags":[],"symbols":[],"user_mentions":[],"urls":[]}', true, '{}', 'EVERYONE', false, md5('offer' || n) || md5('number' || n)
    FROM generate_series(0, ${POSTS - 1}) AS n`);
  await run(`INSERT INTO promoted_posts (id, "createdAt", "updatedAt", "accountId", "lineItemId", "postId", "sourcePostId", "approvalStatus")
    SELECT 'p' || lpad(n::text, 8, '0'), ${made}, '${account.id}', ${itemId('n')}, p.id, p.id, 'ACCEPTED'
    FROM generate_series(0, ${items - 1}) AS n, LATERAL (SELECT (5e14::bigint + n % ${POSTS})::text AS id) p`);
  await run(`INSERT INTO targeting_criteria (id, "createdAt", "updatedAt", "accountId", "lineItemId", "campaignId", name, "targetingType",
      "targetingValue", "operatorType")
    SELECT 't' || lpad((n * ${CRITERIA} + k)::text, 8, '0'), ${made}, '${account.id}', ${itemId('n')}, ${campaignId('n')}, 'word',
      'BROAD_KEYWORD', 'word' || n % ${AUDIENCES} + k * 97, 'EQ'
    FROM generate_series(0, ${items - 1}) AS n, generate_series(0, ${CRITERIA - 1}) AS k`);
  for (const table of ['line_items', 'campaigns', 'funding_instruments'])
    await run(`INSERT INTO ${table} SELECT (json_populate_record(t, '{"accountId": "${REFERENCE}"}')).* FROM ${table} t
      WHERE t."accountId" = '${account.id}'`);
  await run('VACUUM (ANALYZE)');
  await run('CHECKPOINT');
}
