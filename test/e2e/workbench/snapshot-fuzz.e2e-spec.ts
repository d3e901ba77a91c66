import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { BusinessesService } from '../../../src/accounts/accounts/businesses.service.js';
import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { ScheduledPostsJob } from '../../../src/creatives/scheduled-posts/scheduled-posts.job.js';
import { SimulatedDelivery } from '../../../src/statistics/delivery/simulated-delivery.service.js';
import { DeliveryRollups } from '../../../src/statistics/facts/delivery-rollups.service.js';
import { snapshotTables } from '../../../src/workbench/snapshots/snapshot-tables.js';
import { Api, type Answer, type Json } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { fresh } from '../../support/given/fresh.js';
import { given } from '../../support/given.js';
import { listsInSnapshots } from '../../support/routes.js';

/** How many values are tried; `all` takes some minutes. */
const { SNAPSHOT_FUZZ = '70', SNAPSHOT_FUZZ_SEED = '38' } = process.env;

const LONG = Array.from({ length: 10_001 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000))).join('');
const TEXTS = ['', 'x', 'a\0b', 'é\u{1F9C0}"\\', '\ud800', LONG.slice(0, 500), LONG.slice(0, 10_000), LONG];
const INTEGERS = [-1, 0, 1, 79_999_999, 2_147_483_647, 2_147_483_648, -2_147_483_648, 1.5, 1e300];
const MAX = (2n ** 63n - 1n).toString();
/** Values at and beyond the limits of each type. */
const VALUES: Record<string, Json[]> = {
  smallint: [-1, 0, 5, 6, 32_767, 32_768],
  integer: INTEGERS,
  bigint: ['-1', '0', '1', '9007199254740991', '9007199254740992', MAX, `${MAX}0`, `-${MAX}`, 5, '1.5'],
  boolean: [true, false, 'true', 0],
  timestamptz: [
    ...['0001-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '1970-01-01T00:00:00Z', '2000-01-01T00:00:00Z'],
    ...['2026-02-30T00:00:00Z', '2099-12-31T23:00:00Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999-01:00'],
    ...['infinity', '-infinity', 'now', '2027-01-10T09:30:00Z', '2027-01-10T09:00:00+14:00'],
  ],
  json: [{}, [], [[]], [{}], { a: { b: null } }, { '\0': 1 }, 'x', 1],
  bytea: ['\\x', '\\x00', `\\x${'00'.repeat(32)}`, `\\x${'ff'.repeat(33)}`, 'x'],
  varchar: TEXTS,
};

interface Edit {
  table: string;
  row: number;
  column: string;
  /** Absent: the column is left out. */
  value?: Json;
}

/** Numbers that depend on a seed only, from 0 to 1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

let owner: Api;
let ownerId: string;
let account: ActingAccount;

async function prepare(): Promise<void> {
  const application = await given.application();
  ownerId = (await world().get(ApplicationQueries).findById(application.id))!.ownerId;
  const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
  owner = new Api({ consumer: application.consumer, token });
  const { id: businessId } = await world().get(BusinessesService).create(fresh('Business'));
  const of = { environment: 'sandbox', businessId, timezone: 'UTC' } as const;
  account = await given.account({ userId: ownerId, ...of });
}

/** All edits of one row of each table, the one that has the most values. */
function edits(tables: Record<string, Record<string, Json>[]>): Edit[] {
  return snapshotTables().flatMap(({ entity, name: table, withheld }) => {
    const { columns } = world().get(DataSource).getMetadata(entity);
    const filled = (each: Record<string, Json>) => Object.values(each).filter((value) => value !== null).length;
    const row = tables[table].reduce((best, each, i, all) => (filled(each) > filled(all[best]) ? i : best), 0);
    return columns
      .filter(({ databaseName }) => !Object.hasOwn(withheld, databaseName))
      .flatMap(({ databaseName: column, type, isArray }) => {
        const kind = type === 'jsonb' ? 'json' : type === 'text' ? 'varchar' : typeof type === 'string' ? type : '';
        const own = VALUES[kind] ?? TEXTS;
        const values = isArray ? [[], [null], 'x', ...own.map((each) => [each]), own] : own;
        return [null, ...values, undefined].map((value: Json): Edit => ({ table, row, column, value }));
      });
  });
}

describe('files with values at the limits', () => {
  useApp({ SANDBOX: 'true', DELIVERY: 'simulated' });

  it('are refused with the place, or everything works with what they have', async () => {
    await prepare();
    const businessMate = await given.advertiser({ environment: 'sandbox' });
    await given.sharesOutside(account);
    await given.sharesOutside(businessMate.account);
    const { next } = await given.everything(account, businessMate.account);
    const rename = { form: { account_ids: account.id } };
    expect((await owner.put('/workbench/snapshots/base', rename)).status).toBe(201);
    const { signature: _, ...file } = (await owner.get('/workbench/snapshots/base/content')).body;
    const failures: Json[] = [];
    const errors: string[] = [];
    jest
      .spyOn(Logger.prototype, 'error')
      .mockImplementation((...given: unknown[]) => void errors.push(String(given[0])));

    const all = edits(file.accounts[0].tables);
    const next01 = random(Number(SNAPSHOT_FUZZ_SEED));
    const chosen =
      SNAPSHOT_FUZZ === 'all'
        ? all
        : Array.from({ length: Number(SNAPSHOT_FUZZ) }, () => all[Math.floor(next01() * all.length)]);
    const named = ['targeting_sets.revision', 'line_items.spentLocalMicro', 'campaigns.spentLocalMicro'];
    const known = all.filter(
      ({ table, column, value }) => named.includes(`${table}.${column}`) && (value === -1 || value === MAX),
    );
    let accepted = 0;
    for (const { table, row, column, value } of [...known, ...chosen]) {
      const changed = structuredClone(file);
      if (value === undefined) delete changed.accounts[0].tables[table][row][column];
      else changed.accounts[0].tables[table][row][column] = value;
      const what = `${table}.${column} = ${JSON.stringify(value)?.slice(0, 60)}`;
      const fail = (step: string, detail: unknown) => failures.push({ what, step, detail });
      const answered = (step: string, { status, body }: Answer, ...allowed: number[]) => {
        if (!allowed.includes(status)) fail(step, { status, errors: body.errors });
        return status < 300;
      };
      const imported = await tried(owner.put('/workbench/snapshots/edited/content', { json: changed }));
      if (!answered('import', imported, 200, 201, 400)) {
        const message = String(imported.body.errors?.[0].message);
        if (!message.includes('accounts[0]')) fail('place', message);
        continue;
      }
      accepted++;
      if (!answered('restore', await owner.post('/workbench/snapshots/edited/restore'), 200, 400)) continue;
      for (const [step, answer] of await reads()) answered(step, answer, 200, 201);
      errors.length = 0;
      for (const [step, work] of works(next))
        await work().catch((error: unknown) => fail(step, error instanceof Error ? error.message : error));
      if (errors.length > 0) fail('log', [...errors]);
    }
    if (process.env.TIMINGS) console.log(`${chosen.length} of ${all.length} tried, ${accepted} accepted`);
    expect(failures).toEqual([]);
    expect(accepted).toBeGreaterThan(0);
  }, 3_600_000);
});

/** An answer, also one that is not as the document says, which the client of the tests does not take. */
const tried = (sent: Promise<Answer>): Promise<Answer> =>
  sent.catch((error: unknown) => ({ status: 0, body: { errors: [String(error)], data: [] } }) as unknown as Answer);

/** What clients read. */
async function reads(): Promise<[string, Answer][]> {
  const sandbox = owner.in('sandbox');
  const ads = { get: (...given: Parameters<Api['get']>) => tried(sandbox.get(...given)) };
  const base = `/12/accounts/${account.id}`;
  const found: [string, Answer][] = [];
  for (const list of listsInSnapshots())
    found.push([list, await ads.get(`${base}/${list}`, { query: { with_deleted: true } })]);
  const items = (found.find(([list]) => list === 'line_items')![1].body.data as { id: string }[]).slice(0, 20);
  const line_item_ids = items.map(({ id }) => id).join(',');
  if (line_item_ids === '') return found;
  found.push(['criteria', await ads.get(`${base}/targeting_criteria`, { query: { line_item_ids } })]);
  const now = world().clock.now().getTime();
  const day = (days: number) => new Date((Math.floor(now / 86_400_000) + days) * 86_400_000).toISOString();
  for (const granularity of ['HOUR', 'TOTAL']) {
    const query = {
      ...{ entity: 'LINE_ITEM', entity_ids: line_item_ids, placement: 'ALL_ON_PLATFORM', granularity },
      ...{ metric_groups: 'ENGAGEMENT,BILLING,VIDEO', start_time: day(0), end_time: day(4) },
    };
    found.push([`statistics by ${granularity}`, await ads.get(`/12/stats/accounts/${account.id}`, { query })]);
  }
  const query = { entity: 'LINE_ITEM', start_time: day(0), end_time: day(4) };
  found.push(['active entities', await ads.get(`/12/stats/accounts/${account.id}/active_entities`, { query })]);
  found.push(['save', await tried(owner.put('/workbench/snapshots/after', { form: { account_ids: account.id } }))]);
  return found;
}

/** What jobs do. */
const works = (hour: Date): [string, () => Promise<unknown>][] => [
  ['delivery', () => world().get(SimulatedDelivery).deliverHour(account.id, hour)],
  [
    'roll-up',
    () =>
      world()
        .get(DeliveryRollups)
        .rollUp(account.id, 'UTC', new Date(hour.getTime() + 3 * 86_400_000)),
  ],
  ['sizes', () => world().get(SizeAudiencesJob).sizeDue()],
  ['posts', () => world().get(ScheduledPostsJob).publishDue()],
];
