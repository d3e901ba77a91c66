import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { AccountAccessService } from '../src/accounts/access/account-access.service.js';
import { AccountsService } from '../src/accounts/accounts/accounts.service.js';
import { AccessTokensService } from '../src/auth/credentials/access-tokens.service.js';
import { ApplicationsService } from '../src/auth/credentials/applications.service.js';
import { UsersService } from '../src/auth/credentials/users.service.js';
import { FundingInstrumentsService } from '../src/campaigns/funding-instruments/funding-instruments.service.js';
import { Clock } from '../src/common/time/clock.js';
import { openDatabase } from '../src/common/db/database.js';
import { migrate } from '../src/common/db/migrate.js';
import { readConfig } from '../src/config/config.js';
import { ENTITIES } from '../src/entities.js';
import { MIGRATIONS } from '../src/migrations/index.js';
import { openService } from '../src/service.js';
import type { Pen } from './load/task.js';

/** A database of its own with one application, one user and their accounts. */
export interface World {
  databaseUrl: string;
  /** What the service needs of the environment to serve it. */
  environment: Record<string, string>;
  pen: Pen;
  /** Of another user, whose application is another one too, with access to none of the accounts. */
  stranger: Pen;
  /** Whose campaigns and posts they are. */
  author: string;
  /** Accounts to read from: the first has the campaigns. */
  account: BenchAccount;
  /** Accounts to write into, so that what is read stays as it is. */
  written: BenchAccount[];
  drop(): Promise<void>;
}

export interface BenchAccount {
  id: string;
  fundingId: string;
}

const WRITTEN_ACCOUNTS = 10;
const ZONE = { timezone: 'America/Los_Angeles', timezoneSwitchAt: '2025-01-01T08:00:00Z' };

/** Makes a world whose first account has so many campaigns, and with so many accounts to write into. */
export async function makeWorld(
  serverUrl: string,
  name: string,
  campaigns: number,
  writtenAccounts = WRITTEN_ACCOUNTS,
): Promise<World> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const databaseUrl = url.href;
  const drop = () => query(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await query(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  try {
    const environment = {
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      MASTER_KEY: randomBytes(32).toString('base64'),
    };
    const own = { ...environment, BASE_URL: 'http://127.0.0.1', LOG_LEVEL: 'error' };
    await migrated(own);
    const people = await settled(own, writtenAccounts);
    await fill(databaseUrl, people.account, campaigns);
    return { databaseUrl, environment, ...people, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

async function migrated(environment: Record<string, string>): Promise<void> {
  const store = await openDatabase(readConfig(environment), { entities: ENTITIES, migrations: MIGRATIONS });
  try {
    await migrate(store);
  } finally {
    await store.close();
  }
}

/** Users, keys, accounts and funding through the services that make them in life. */
async function settled(
  environment: Record<string, string>,
  writtenAccounts: number,
): Promise<Pick<World, 'pen' | 'stranger' | 'author' | 'account' | 'written'>> {
  const service = await openService(readConfig(environment));
  try {
    const { app } = service;
    const users = app.get(UsersService);
    const applications = app.get(ApplicationsService);
    const tokens = app.get(AccessTokensService);
    const newcomer = async (handle: string, name: string) => {
      const user = await users.create(handle, { name });
      const { application, consumer } = await applications.create({ name, ownerId: user.id });
      return { user, pen: { consumer, token: await tokens.issue(user.id, application.id, 'write') } };
    };
    const { user, pen } = await newcomer('bench', 'Bench');
    const { pen: stranger } = await newcomer('stranger', 'Stranger');
    const begin = new Date(app.get(Clock).ms() - 30 * 86_400_000).toISOString();

    const account = async (name: string): Promise<BenchAccount> => {
      const made = await app.get(AccountsService).create(user.id, { environment: 'production', name, ...ZONE });
      const acting = await app.get(AccountAccessService).find('production', made.id, user.id);
      const funding = await app
        .get(FundingInstrumentsService)
        .create(acting!, { currency: 'USD', start_time: begin, type: 'CREDIT_CARD' });
      return { id: made.id, fundingId: funding.id };
    };
    const first = await account('Read from');
    const written: BenchAccount[] = [];
    for (let n = 1; n <= writtenAccounts; n++) written.push(await account(`Written to ${n}`));
    return { pen, stranger, author: user.id, account: first, written };
  } finally {
    await service.close();
  }
}

/**
 * Every second campaign is `Broad`, one in fifty of a thousand is `Needle`: as many needles however large the haystack. Four of
 * five have a line item that can serve.
 */
async function fill(databaseUrl: string, { id, fundingId }: BenchAccount, campaigns: number): Promise<void> {
  await query(
    databaseUrl,
    `INSERT INTO campaigns (id, "createdAt", "updatedAt", "accountId", "fundingInstrumentId", name, currency,
        "budgetOptimization", "dailyBudgetAmountLocalMicro", "totalBudgetAmountLocalMicro", "standardDelivery", "entityStatus", complete)
      SELECT lpad(to_hex(n), 13, '0'), at, at + n % 1000 * interval '1 hour', '${id}', '${fundingId}',
        CASE WHEN n <= 20 THEN 'Needle ' WHEN n % 2 = 0 THEN 'Broad reach ' ELSE 'Campaign ' END || n, 'USD', 'CAMPAIGN',
        (n % 500 + 1) * 1000000::bigint, CASE WHEN n % 3 = 0 THEN (n % 500 + 100) * 10000000::bigint END, true,
        CASE WHEN n % 4 = 0 THEN 'PAUSED' ELSE 'ACTIVE' END, n % 5 > 0
      FROM generate_series(1, ${campaigns}) AS n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second' AS at) AS t`,
  );
  await query(
    databaseUrl,
    `INSERT INTO line_items (id, "createdAt", "updatedAt", "accountId", "campaignId", "fundingInstrumentId", currency, "productType",
        objective, goal, placements, categories, "bidStrategy", "payBy", "startTime", "endTime", "creativeSource", "entityStatus",
        creatives, counted)
      SELECT 'l' || right(id, 12), "createdAt", "updatedAt", "accountId", id, "fundingInstrumentId", currency, 'PROMOTED_POSTS',
        'ENGAGEMENTS', 'ENGAGEMENT', ARRAY['ALL_ON_PLATFORM'], ARRAY[]::varchar[], 'AUTO', 'ENGAGEMENT', "createdAt",
        "createdAt" + interval '10 years', 'MANUAL', 'ACTIVE', 1, false
      FROM campaigns WHERE "accountId" = '${id}' AND complete`,
  );
  await query(
    databaseUrl,
    `UPDATE campaigns SET "servesFrom" = "createdAt", "servesUntil" = "createdAt" + interval '10 years' WHERE "accountId" = '${id}' AND complete`,
  );
  await query(databaseUrl, 'VACUUM (ANALYZE)');
  await query(databaseUrl, 'CHECKPOINT');
}

/** Runs a statement on a connection of its own. */
export async function query(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
