import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { to as copyTo } from 'pg-copy-streams';
import { fillDelivery } from '../../bench/delivery.js';
import { fillUsers } from '../../bench/estimates.js';
import { withService } from '../../bench/sizes.js';
import { makeWorld, query, type World } from '../../bench/world.js';
import { HOUR_MS } from '../../src/common/time/days.js';
import { SimulatedDelivery } from '../../src/statistics/delivery/simulated-delivery.service.js';
import { connected, onPostgres } from './support/creates.js';
import { DeliveryWorker } from './support/delivery-workers.js';
import { Postgres } from './support/postgres.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atLeast, atMost, type Figure, noted } from './support/table.js';

const ITEMS = () => (settings.quick ? 200 : 3_000);
const HOURS = () => (settings.quick ? 24 : 120);
const ROUNDS = () => (settings.quick ? 2 : 20);
/** A few hours. */
const MOMENT_MS = () => (settings.quick ? 150 : 1_000);
const FIRST = Date.UTC(2026, 11, 7, 9);
/** Exact estimates, because the noise of protected ones changes every ten minutes. */
const EXACT = { NODE_ENV: 'development', DEMO: 'false', AUDIENCE_PRIVACY: 'exact', AUDIENCE_POPULATION_SCALE: '1000' };
const SIMULATED = { SANDBOX: 'true', DELIVERY: 'simulated', DELIVERY_SEED: 'proof', ROLE: 'api', ...EXACT };
const USERS = () => (settings.quick ? 1_000 : 20_000);

/**
 * Two processes simulate the same hours of an account, and again and again both are killed with SIGKILL. Then every hour is
 * there once, everybody spent what the facts say, and all is as in a copy of the database that nobody disturbed.
 */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const postgres = await Postgres.start(stage);
    const world = await makeWorld(postgres.url, 'marquee', 0, 0);
    await fillUsers(world, USERS());
    await fillDelivery(world, ITEMS());
    await query(world.databaseUrl, scarce(world.account.id));
    await query(postgres.url, 'CREATE DATABASE undisturbed TEMPLATE marquee');
    const calm = copyOf(world, 'undisturbed');
    await undisturbed(calm);

    const order = {
      environment: { ...world.environment, ...SIMULATED, BASE_URL: 'http://127.0.0.1', LOG_LEVEL: 'error' },
      accountId: world.account.id,
      first: FIRST,
      hours: HOURS(),
    };
    const workers = [new DeliveryWorker(stage, order), new DeliveryWorker(stage, order)];
    const start = async () => {
      await Promise.all(workers.map((worker) => worker.start()));
      for (const worker of workers) worker.begin();
    };
    const moment = () => pause(Math.random() * MOMENT_MS());
    let inTheMiddle = 0;
    for (let round = 0; round < ROUNDS(); round++) {
      await start();
      for (const worker of workers) {
        await moment();
        if (await worker.kill()) inTheMiddle++;
      }
    }
    await start();
    await Promise.all(workers.map((worker) => worker.end()));
    return [
      noted('line items, hours, kills', `${ITEMS()}, ${HOURS()}, ${2 * ROUNDS()}`),
      atLeast('kills in the middle of an hour', inTheMiddle, ROUNDS()),
      ...(await consistent(world)),
      ...(await equal(world, calm)),
    ];
  });
}

const copyOf = (world: World, name: string): World => {
  const url = new URL(world.databaseUrl);
  url.pathname = `/${name}`;
  return { ...world, databaseUrl: url.href, environment: { ...world.environment, DATABASE_URL: url.href } };
};

/** Total budgets and funding that run out within the hours. */
const scarce = (accountId: string) => `
  UPDATE line_items SET "totalBudgetAmountLocalMicro" = 1000000 * (1 + right(id, 4)::int % 60)
    WHERE "accountId" = '${accountId}' AND right(id, 4)::int % 3 = 0;
  UPDATE campaigns SET "totalBudgetAmountLocalMicro" = 1000000000::bigint WHERE "accountId" = '${accountId}' AND right(id, 1)::int % 3 = 0;
  UPDATE funding_instruments SET type = 'CREDIT_LINE', "creditLimitLocalMicro" = ${ITEMS()} * ${HOURS()} * 2500000::bigint
    WHERE "accountId" = '${accountId}'`;

const undisturbed = (world: World): Promise<void> =>
  withService(world, SIMULATED, async ({ app }) => {
    const delivery = app.get(SimulatedDelivery);
    for (let hour = 0; hour < HOURS(); hour++)
      await delivery.deliverHour(world.account.id, new Date(FIRST + hour * HOUR_MS));
  });

interface Sums {
  hours: number;
  billed: number;
  items: number;
  campaigns: number;
  funding: number;
  /** Line items and campaigns with a record that their budget ran out, and such records. */
  ended: number;
  records: number;
}

/** Whether everybody spent what the facts say. */
async function consistent({ databaseUrl, account }: World): Promise<Figure[]> {
  const spent = (table: string) => `(SELECT sum("spentLocalMicro") FROM ${table} WHERE "accountId" = $1)::float8`;
  const recorded = (what: string) =>
    `(SELECT count(${what}) FROM account_changes WHERE "accountId" = $1 AND "entityType" IN ('LINE_ITEM', 'CAMPAIGN'))::int`;
  const [found] = (await onPostgres(databaseUrl, (ask) =>
    ask(
      `SELECT count(DISTINCT hour)::int AS hours, sum("billedChargeLocalMicro")::float8 AS billed, ${spent('line_items')} AS items,
        ${spent('campaigns')} AS campaigns, ${spent('funding_instruments')} AS funding, ${recorded('DISTINCT "entityId"')} AS ended,
        ${recorded('*')} AS records FROM delivery_facts WHERE "accountId" = $1`,
      [account.id],
    ),
  )) as Sums[];
  const off = Math.max(...[found.items, found.campaigns, found.funding].map((sum) => Math.abs(sum - found.billed)));
  return [
    noted('billed, in micro-units', found.billed.toLocaleString('en')),
    atMost('difference to the spend of line items, campaigns or funding', off, 0),
    atLeast('line items and campaigns whose budget ran out', found.ended, 1),
    atMost('records beyond one for each of them', found.records - found.ended, 0),
  ];
}

const FACTS = `SELECT * FROM delivery_facts WHERE "accountId" = $1 ORDER BY "lineItemId", hour, placement, "promotedId"`;
const spentOf = (table: string) => `SELECT id, "spentLocalMicro" FROM ${table} WHERE "accountId" = $1 ORDER BY id`;

/** What must be the same in both databases. */
const SAME: Record<string, string> = {
  'hours with facts': `SELECT DISTINCT hour FROM delivery_facts WHERE "accountId" = $1 ORDER BY hour`,
  facts: FACTS,
  'spend of line items': spentOf('line_items'),
  'spend of campaigns': spentOf('campaigns'),
  'spend of funding instruments': spentOf('funding_instruments'),
  audiences: `SELECT * FROM delivery_audiences WHERE "accountId" = $1 ORDER BY id`,
  'recorded changes': `SELECT "entityType", "entityId", changes::text FROM account_changes WHERE "accountId" = $1 ORDER BY 1, 2, 3`,
};

async function equal(one: World, other: World): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, text] of Object.entries(SAME)) {
    const [ours, theirs] = await Promise.all([one, other].map((world) => contentOf(world, text)));
    const isSame = ours.digest === theirs.digest;
    figures.push({
      name: `${name}, as without kills`,
      measured: isSame ? `${ours.rows}, the same` : `${ours.rows} and ${theirs.rows}, different`,
      promise: 'the same',
      ok: isSame && ours.rows > 0,
    });
  }
  return figures;
}

/** The number of rows, and a digest of their text. */
const contentOf = ({ databaseUrl, account }: World, text: string): Promise<{ rows: number; digest: string }> =>
  connected(databaseUrl, async (client) => {
    const digest = createHash('sha256');
    let rows = 0;
    const copy = client.query(copyTo(`COPY (${text.replace('$1', `'${account.id}'`)}) TO STDOUT`));
    for await (const chunk of copy as AsyncIterable<Buffer>) {
      digest.update(chunk);
      for (const byte of chunk) if (byte === 10) rows++;
    }
    return { rows, digest: digest.digest('hex') };
  });
