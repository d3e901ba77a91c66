import { createHash } from 'node:crypto';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { BusinessesService } from '../../../src/accounts/accounts/businesses.service.js';
import { DeliveryRollups } from '../../../src/statistics/facts/delivery-rollups.service.js';
import { RollUpDeliveryJob } from '../../../src/statistics/facts/roll-up-delivery.job.js';
import { SimulatedDelivery } from '../../../src/statistics/delivery/simulated-delivery.service.js';
import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';
import { CustomAudienceUsersService } from '../../../src/audiences/audience-users/custom-audience-users.service.js';
import { CustomAudienceBatchService } from '../../../src/audiences/custom-audiences/custom-audience-batch.service.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { AudienceEstimateService } from '../../../src/campaigns/audience-estimate/audience-estimate.service.js';
import { Vault } from '../../../src/auth/credentials/vault.js';
import { snapshotTables } from '../../../src/workbench/snapshots/snapshot-tables.js';
import { Api, type Answer, type Json, type Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { rowsByTable } from '../../support/given/everything.js';
import { fresh } from '../../support/given/fresh.js';
import { given } from '../../support/given.js';

let owner: Api;
let ownerId: string;
let businessId: string;
let account: ActingAccount;
let partner: ActingAccount;

async function prepare(): Promise<void> {
  ({ ownerId, api: owner } = await given.applicationOwner());
  businessId = (await world().get(BusinessesService).create(fresh('Business'))).id;
  account = await sandbox();
  partner = await sandbox((await given.advertiser({ environment: 'sandbox' })).account.userId);
}

/** Another account of the business. */
const sandbox = (userId = ownerId, timezone = 'UTC'): Promise<ActingAccount> =>
  given.account({ userId, environment: 'sandbox', businessId, timezone });

async function ok(sent: Promise<Answer>): Promise<Json> {
  const { status, body } = await sent;
  if (status < 200 || status > 299) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

const refusal = ({ status, body }: Answer): Json => [status, body.errors?.[0].message];

const save = (name: string, accountId = account.id) =>
  ok(owner.put(`/workbench/snapshots/${name}`, { form: { account_ids: accountId } }));
const exported = async (name: string): Promise<Json> => ok(owner.get(`/workbench/snapshots/${name}/content`));
const imported = (name: string, json: Json, query: Params = {}) =>
  owner.put(`/workbench/snapshots/${name}/content`, { json, query });
const restore = (name: string) => ok(owner.post(`/workbench/snapshots/${name}/restore`));

type Tables = Record<string, Record<string, Json>[]>;
const tablesOf = (file: Json): Tables => file.accounts[0].tables as Tables;

/** The same file without what tells that this service wrote it, changed. */
function edited(file: Json, change: (tables: Tables, file: Json) => unknown): Json {
  const { signature: _, ...copy } = structuredClone(file);
  change(tablesOf(copy), copy);
  return copy;
}

/**
 * Rows without what differs between copies: ids become places in the order of the ids, and revisions go on.
 */
function comparable(tables: Tables): Json {
  const names = new Map<string, string>();
  const noteIds = ([table, rows]: [string, Record<string, Json>[]]) =>
    rows
      .map(({ id }) => id as string)
      .filter((id) => id !== undefined)
      .sort()
      .forEach((id, i) => names.set(id, `${table} ${i}`));
  Object.entries(tables)
    .filter(([table]) => table !== 'delivery_audiences')
    .forEach(noteIds);
  noteIds(['user groups', tables.ab_tests.flatMap(({ userGroups }) => userGroups as Record<string, Json>[])]);
  const renamed = (value: Json): Json => {
    if (typeof value === 'string') return names.get(value) ?? value;
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, renamed(each as Json)]));
  };
  const rows = Object.entries(tables).map(([table, own]) => [
    table,
    own
      .map((row) => {
        const { accountId: _, revision: __, generation: ___, terms: ____, ...rest } = row;
        return JSON.stringify(renamed(rest));
      })
      .sort(),
  ]);
  return Object.fromEntries(rows);
}

describe('snapshot files', () => {
  useApp({ SANDBOX: 'true', DELIVERY: 'simulated' });
  beforeEach(prepare);

  it('restore the columns of each account, whichever others have', async () => {
    const other = await sandbox();
    for (const each of [account, other]) {
      await given.customAudience({ account: each, description: 'Of ours' });
      await given.campaign({ account: each, daily_budget_amount_local_micro: 5_000_000 });
    }
    await ok(owner.put('/workbench/snapshots/two', { form: { account_ids: [account.id, other.id].sort().join(',') } }));
    const file = await exported('two');
    const [first, second] = file.accounts as { account_id: string }[];
    const without = edited(file, (_, { accounts }) => {
      for (const row of accounts[0].tables.custom_audiences) delete row.description;
      for (const row of accounts[1].tables.campaigns) delete row.dailyBudgetAmountLocalMicro;
    });
    expect((await imported('two', without)).status).toBe(200);
    await restore('two');
    const found = async (id: string) => {
      const [audiences, campaigns] = await Promise.all(
        ['custom_audiences', 'campaigns'].map((list) => ok(owner.in('sandbox').get(`/12/accounts/${id}/${list}`))),
      );
      return [audiences.data[0].description, campaigns.data[0].daily_budget_amount_local_micro];
    };
    expect(await found(first.account_id)).toEqual([null, 5_000_000]);
    expect(await found(second.account_id)).toEqual(['Of ours', null]);
  });

  it('schedule posts and have drafts only in the name of users in whose name the importer may post', async () => {
    const other = await sandbox((await given.advertiser({ environment: 'sandbox' })).account.userId);
    await given.scheduledPost({ account: other });
    await given.draftPost({ account: other });
    const become = async (isComposer: boolean) => {
      await world().get(MembershipsService).grant(other.id, ownerId, 'ACCOUNT_ADMIN', isComposer);
      await world().caughtUp();
    };
    await become(false);
    await save('others', other.id);
    const file = await exported('others');
    const outcome = async (table: string, changes: object = {}) => {
      const only = ({ [table]: rows, ...tables }: Tables, copy: Json) => {
        for (const each of ['scheduled_posts', 'draft_posts']) if (each in tables) tables[each] = [];
        copy.accounts[0].tables = { ...tables, [table]: rows.map((row) => ({ ...row, ...changes })) };
      };
      return refusal(await imported(fresh('changed'), edited(file, only))) as [number, string | undefined];
    };
    for (const table of ['scheduled_posts', 'draft_posts']) {
      await become(false);
      expect(await outcome(table)).toEqual([400, expect.stringContaining(`accounts[0].tables.${table}[0].userId`)]);
      expect(await outcome(table, { deletedAt: '2026-10-01T08:00:00Z' })).toEqual([201, undefined]);
      await become(true);
      expect(await outcome(table)).toEqual([201, undefined]);
      expect(await outcome(table, { nullcast: false })).toEqual([
        400,
        expect.stringContaining(`accounts[0].tables.${table}[0].nullcast`),
      ]);
    }
  });

  it('have every table, and are imported into the same account and into another one', async () => {
    const { next, sharedId } = await given.everything(account, partner);
    const empty = Object.entries(await rowsByTable(account.id)).filter(([, n]) => n === 0);
    // whoever adds a table to snapshots adds it to given.everything
    expect(empty).toEqual([]);
    await save('whole');
    const file = await exported('whole');
    expect(Object.keys(tablesOf(file)).sort()).toEqual(snapshotTables().map(({ name }) => name));

    expect((await imported('same', file)).status).toBe(201);
    await ok(owner.post('/workbench/reset', { form: { account_ids: account.id, to: 'EMPTY' } }));
    await restore('same');
    await save('again');
    const again = await exported('again');
    const { revision: _, ...set } = tablesOf(file).targeting_sets[0];
    expect(tablesOf(again).targeting_sets[0]).toMatchObject(set);
    expect(comparable(tablesOf(again))).toEqual(comparable(tablesOf(file)));
    const idsOf = (each: Json) => tablesOf(each).line_items.map(({ id }) => id);
    expect(idsOf(again)).toEqual(idsOf(file));

    const other = await sandbox();
    expect(refusal(await imported('other', file, { account_ids: other.id }))).toEqual([
      400,
      expect.stringMatching(
        new RegExp(
          `^Expected an audience .* for accounts\\[0\\].tables.custom_audiences\\[\\d\\].segments.child_segments\\[1\\].custom_audience_id, got "${sharedId}"`,
        ),
      ),
    ]);
    await given.sharedAudience({ account: partner, audience: { id: sharedId }, to: other });
    await ok(imported('other', file, { account_ids: other.id }));
    await restore('other');
    await world().get(DeliveryRollups).rollUp(other.id, 'UTC', next);
    await save('copy', other.id);
    const copy = await exported('copy');
    const neutral = ({ delivery_audiences, ...tables }: Tables) => {
      // their ids are hashes of criteria, which have new ids
      const hashes = new Map(delivery_audiences.map(({ id }, i) => [id as string, `audience ${i}`]));
      const text = JSON.stringify(comparable(tables));
      return [...hashes].reduce((found, [hash]) => found.replaceAll(hash, 'audience'), text);
    };
    expect(JSON.parse(neutral(tablesOf(copy)))).toEqual(JSON.parse(neutral(tablesOf(file))));
    expect(idsOf(copy).filter((id) => idsOf(file).includes(id))).toEqual([]);

    // the next hour finds the same audiences
    const audiences = async ({ id }: { id: string }) =>
      (
        await world().sql<{ id: string }>('SELECT id FROM delivery_audiences WHERE "accountId" = $1 ORDER BY id', id)
      ).map((each) => each.id);
    const before = await audiences(other);
    await world().get(SimulatedDelivery).deliverHour(other.id, next);
    expect(await audiences(other)).toEqual(before);
    const [{ facts }] = await world().sql<{ facts: number }>(
      'SELECT count(*)::int AS facts FROM delivery_facts WHERE "accountId" = $1 AND hour = $2',
      other.id,
      next.toISOString(),
    );
    expect(facts).toBeGreaterThan(0);
  });

  it('are summed by the days of the account that they become, before and after a job has summed them', async () => {
    const HOUR = 3_600_000;
    // midnight in Los Angeles
    const start = Date.parse('2026-06-01T07:00:00Z');
    const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
    const berlin = await sandbox(ownerId, 'Europe/Berlin');
    const item = await given.lineItem({ account: berlin });
    const { id: promotedId } = await given.promotedPost({ account: berlin, lineItemId: item.id });
    const hours = Array.from({ length: 4 * 24 }, (_, i) => 2 ** (i % 20) + i);
    await given.facts(
      item,
      ...hours.map((impressions, i) => ({ hour: iso(start + i * HOUR), promotedId, impressions })),
    );
    await world()
      .get(DeliveryRollups)
      .rollUp(berlin.id, berlin.timezone, new Date(start + 4 * 24 * HOUR));
    await save('berlin', berlin.id);
    const file = await exported('berlin');
    expect([tablesOf(file).delivery_days.length, tablesOf(file).delivery_rollups.length]).toEqual([4, 1]);

    const angeles = await sandbox(ownerId, 'America/Los_Angeles');
    await ok(imported('angeles', file, { account_ids: angeles.id }));
    await restore('angeles');
    const ads = owner.in('sandbox');
    const [{ id: entity_ids }] = (await ok(ads.get(`/12/accounts/${angeles.id}/line_items`))).data;
    const impressions = async (granularity: string): Promise<number[]> => {
      const query = {
        ...{ entity: 'LINE_ITEM', entity_ids, metric_groups: 'ENGAGEMENT', placement: 'ALL_ON_PLATFORM', granularity },
        ...{ start_time: iso(start), end_time: iso(start + 4 * 24 * HOUR) },
      };
      const { data } = await ok(ads.get(`/12/stats/accounts/${angeles.id}`, { query }));
      return data[0].id_data[0].metrics.impressions;
    };
    const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
    const days = [0, 1, 2, 3].map((day) => sum(hours.slice(day * 24, day * 24 + 24)));
    const answers = async () => [await impressions('HOUR'), await impressions('DAY'), await impressions('TOTAL')];
    expect(await answers()).toEqual([hours, days, [sum(hours)]]);

    world().clock.set(new Date(start + 6 * 24 * HOUR));
    await world().get(RollUpDeliveryJob).rollUpAll();
    world().clock.set(null);
    const summed = await world().sql<{ start: string }>(
      'SELECT start FROM delivery_days WHERE "accountId" = $1 ORDER BY start',
      angeles.id,
    );
    expect(summed.map((each) => iso(Date.parse(each.start)))).toEqual(days.map((_, i) => iso(start + i * 24 * HOUR)));
    expect(await answers()).toEqual([hours, days, [sum(hours)]]);
  });

  it('have the followers of the user who imports, whoever they were of', async () => {
    const item = await given.lineItem({ account });
    const followers = { line_item_id: item.id, targeting_type: 'FOLLOWERS_OF_USER' as const };
    await given.targetingCriterion({ account, ...followers, targeting_value: ownerId });
    const stranger = await given.advertiser({ environment: 'sandbox' });
    await save('followers');
    const file = edited(await exported('followers'), ({ targeting_criteria: [criterion] }) => {
      expect(criterion.targetingValue).toBe(ownerId);
      criterion.targetingValue = stranger.user.id;
    });
    const other = await sandbox();
    await ok(imported('theirs', file, { account_ids: other.id }));
    await restore('theirs');
    await save('copy', other.id);
    const [copied] = tablesOf(await exported('copy')).targeting_criteria;
    expect(copied.targetingValue).toBe(ownerId);
  });

  it('have up to 16 MiB', async () => {
    const item = await given.lineItem({ account });
    await given.promotedPost({ account, lineItemId: item.id });
    await save('small');
    const file = await exported('small');
    const large = edited(file, ({ campaigns }) => {
      const [campaign] = campaigns;
      const text = 'x'.repeat(8_000);
      for (let i = 0; campaigns.length < 1_500; i++)
        campaigns.push({ ...campaign, id: `${campaign.id}${i}`, purchaseOrderNumber: text, entityStatus: 'PAUSED' });
    });
    expect(JSON.stringify(large).length).toBeGreaterThan(12_000_000);
    const { status, body } = await imported('large', large);
    expect({ status, body }).toMatchObject({ status: 201, body: { data: { bytes: expect.any(Number) } } });
  });

  it('name rows of the file, or what a request of the account may name', async () => {
    const { lineItemId } = await given.everything(account, partner);
    const stranger = await given.advertiser({ environment: 'sandbox' });
    const theirs = {
      audience: (await given.targetableAudience({ account: stranger.account })).id,
      campaign: (await given.campaign({ account: stranger.account })).id,
      post: (await given.post({ account: stranger.account })).id,
      media: await given.libraryMedia(stranger.account),
    };
    await given.targetingCriterion({
      account,
      line_item_id: lineItemId,
      targeting_type: 'SIMILAR_TO_FOLLOWERS_OF_USER',
      targeting_value: stranger.user.id,
    });
    const spare = await given.libraryMedia(account);
    await save('whole');
    const file = await exported('whole');
    const tables = tablesOf(file);
    expect(
      (
        await imported(
          'edited',
          edited(file, () => undefined),
        )
      ).status,
    ).toBe(201);

    const places: [place: string, value: Json, change: (tables: Tables) => unknown][] = [];
    const set = (table: string, column: string, value: Json, row = 0) =>
      places.push([
        `${table}[${row}].${column}`,
        value,
        (changed) => (changed[table][row][column] = Array.isArray(tables[table][row][column]) ? [value] : value),
      ]);
    for (const { name, rowReferences, columnsOf } of snapshotTables().filter(({ derived }) => !derived)) {
      for (const { column } of rowReferences) set(name, column, 'zz');
      // a card lists the media of its content
      if (name !== 'cards') for (const column of columnsOf('media')) set(name, column, theirs.media.mediaKey);
      for (const column of columnsOf('post')) set(name, column, theirs.post);
    }
    set('audience_permissions', 'grantedAccountId', stranger.account.id);
    set('audience_permissions', 'customAudienceId', theirs.audience);
    set('library_media', 'mediaId', theirs.media.mediaId);
    const unused = tables.library_media.findIndex(({ id }) => id === spare.id);
    set('library_media', 'mediaKey', theirs.media.mediaKey, unused);
    set('library_media', 'file', theirs.media.file);
    set('library_media', 'posterFile', theirs.media.file);
    set('account_media', 'file', theirs.media.file);
    set('line_item_curated_categories', 'curatedCategoryId', 'zz');
    set('line_items', 'categories', 'IAB999');
    const criterion = (type: string) => tables.targeting_criteria.findIndex((each) => each.targetingType === type);
    set('targeting_criteria', 'targetingValue', theirs.audience, criterion('CUSTOM_AUDIENCE'));
    set('targeting_criteria', 'targetingValue', theirs.campaign, criterion('CAMPAIGN_ENGAGEMENT'));
    set('targeting_criteria', 'targetingValue', '99', criterion('SIMILAR_TO_FOLLOWERS_OF_USER'));
    set('targeting_criteria', 'targetingValue', 'atlantis', criterion('LOCATION'));
    set('targeting_criteria', 'targetingValue', '', criterion('LOCATION'));
    set('targeting_criteria', 'operatorType', 'LT', criterion('LOCATION'));
    const delivered = tables.delivery_audiences.findIndex(({ criteria }) => criteria.length > 0);
    const part = tables.delivery_audiences[delivered].criteria.findIndex(
      ([type]: Json[]) => type === 'CUSTOM_AUDIENCE',
    );
    places.push([
      `delivery_audiences[${delivered}].criteria`,
      theirs.audience,
      (changed) => (changed.delivery_audiences[delivered].criteria[part][1] = theirs.audience),
    ]);
    const flexible = tables.custom_audiences.findIndex(({ segments }) => segments);
    places.push([
      `custom_audiences[${flexible}].segments.child_segments[1].custom_audience_id`,
      theirs.audience,
      (changed) => (changed.custom_audiences[flexible].segments.child_segments[1].custom_audience_id = theirs.audience),
    ]);
    const flexibleId = tables.custom_audiences[flexible].id as string;
    places.push([
      `custom_audiences[${flexible}].segments.child_segments[0].custom_audience_id`,
      flexibleId,
      (changed) => (changed.custom_audiences[flexible].segments.child_segments[0].custom_audience_id = flexibleId),
    ]);
    const [campaign] = tables.campaigns;
    places.push([
      `campaigns[${tables.campaigns.length}]`,
      campaign.id,
      (changed) => void changed.campaigns.push(changed.campaigns[0]),
    ]);
    expect(places.length).toBeGreaterThan(50);
    for (const [place, value, change] of places) {
      const [status, message] = refusal(await imported('edited', edited(file, change))) as [number, string];
      const missing = [`accounts[0].tables.${place}`, String(value)].filter((part) => !String(message).includes(part));
      expect({ place, status, missing, message }).toEqual({ place, status: 400, missing: [], message });
    }
  });

  it('advertise products of the user who imports, and of nobody else', async () => {
    const stranger = await given.productSet((await given.advertiser()).account);
    const { catalog_id, product_set_id } = await given.productSet(account);
    const { id: primary_web_event_tag } = await given.webEventTag({ account });
    await given.lineItem({
      account,
      objective: 'WEBSITE_CLICKS',
      goal: 'WEBSITE_CONVERSIONS',
      primary_web_event_tag,
      creative_source: 'DYNAMIC_PRODUCT_CREATIVE',
      catalog_id,
      product_set_id,
    });
    await save('products');
    const file = await exported('products');
    const afterImport = async (catalogId: string, productSetId: string) => {
      await ok(
        imported(
          'edited',
          edited(file, ({ line_items }) => Object.assign(line_items[0], { catalogId, productSetId })),
        ),
      );
      await restore('edited');
      const [item] = (await ok(owner.in('sandbox').get(`/12/accounts/${account.id}/line_items`))).data;
      return [item.catalog_id, item.product_set_id];
    };
    expect(await afterImport(catalog_id, product_set_id)).toEqual([catalog_id, product_set_id]);
    expect(await afterImport(stranger.catalog_id, stranger.product_set_id)).toEqual([null, null]);
    expect(await afterImport(catalog_id, stranger.product_set_id)).toEqual([null, null]);
  });

  it('keep what accounts of one file share with each other', async () => {
    const other = await sandbox();
    const audience = await given.targetableAudience({ account });
    await given.sharedAudience({ account, audience, to: other });
    await given.targetingCriterion({
      account: other,
      targeting_type: 'CUSTOM_AUDIENCE',
      targeting_value: audience.id,
      operator_type: 'EQ',
    });
    await ok(owner.put('/workbench/snapshots/both', { form: { account_ids: `${account.id},${other.id}` } }));
    const copies = [await sandbox(), await sandbox()];
    const query = { account_ids: copies.map(({ id }) => id).join(',') };
    await ok(imported('copies', await exported('both'), query));
    await restore('copies');
    const [{ id }] = (await ok(owner.in('sandbox').get(`/12/accounts/${copies[0].id}/custom_audiences`))).data;
    const shown = await owner.in('sandbox').get(`/12/accounts/${copies[1].id}/custom_audiences/${id}`);
    expect(shown).toMatchObject({ status: 200, body: { data: { owner_account_id: copies[0].id } } });
    const [{ targetingValue }] = await world().sql<{ targetingValue: string }>(
      'SELECT "targetingValue" FROM targeting_criteria WHERE "accountId" = $1',
      copies[1].id,
    );
    expect([targetingValue, id === audience.id]).toEqual([id, false]);
  });

  it('say nothing about who is in the directory, nor do those of earlier releases bring it in', async () => {
    const members = ['one', 'two', 'three'].map((name) => fresh(name).replace(/\W/g, ''));
    const directory = world().get(DirectoryImportService);
    await directory.store(
      members.map((name) => directory.read({ username: name.slice(-15), email: `${name}@example.com` })),
    );
    const audience = await given.customAudience({ account });
    const people = [...members, 'four', 'five'].map((name) => ({ email: [hashOf(`${name}@example.com`)] }));
    const upload = [{ operation_type: 'Update', params: { users: people } }];
    await ok(
      owner.in('sandbox').post(`/12/accounts/${account.id}/custom_audiences/${audience.id}/users`, { json: upload }),
    );
    const stored = () =>
      world().sql<{ users: number[] | null }>(
        `SELECT users FROM audience_identifiers WHERE "audienceId" = $1 AND users IS NOT NULL`,
        audience.id,
      );
    expect(await stored()).toHaveLength(3);
    await save('people');
    const file = await exported('people');
    const rows = tablesOf(file).audience_identifiers;
    const alike = rows.map(({ hash: _, person: __, ...rest }) => JSON.stringify(rest));
    expect([rows.length, new Set(alike).size]).toEqual([5, 1]);
    const withheld = snapshotTables().flatMap(({ withheld }) => Object.keys(withheld));
    const [sizing] = tablesOf(file).audience_sizings;
    expect(Object.keys({ ...rows[0], ...sizing }).filter((name) => withheld.includes(name))).toEqual([]);
    // what the database keeps, a restore brings back
    await restore('people');
    expect(await stored()).toHaveLength(3);

    const old = structuredClone(file);
    for (const row of tablesOf(old).audience_identifiers) row.users = [1, 2, 3];
    Object.assign(tablesOf(old).audience_sizings[0], {
      matchedTo: 5,
      dueAt: null,
      waitingSince: null,
      countedUntil: null,
    });
    old.signature = world()
      .get(Vault)
      .sign('snapshot file', hashOf(JSON.stringify(old.accounts)));
    const answer = await imported('old', old);
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.headers['x-marquee-hint']).toMatch(
      /^Ignored audience_identifiers.users, .*audience_sizings.matchedTo/,
    );
    await restore('old');
    expect(await stored()).toEqual([]);
    const [counted] = await world().sql<{ matchedTo: null; isDue: boolean }>(
      `SELECT "matchedTo", "dueAt" <= now() AS "isDue" FROM audience_sizings WHERE "audienceId" = $1`,
      audience.id,
    );
    expect(counted).toEqual({ matchedTo: null, isDue: true });
    const isDue = async () => {
      await world().get(SizeAudiencesJob).sizeDue();
      const [row] = await world().sql<{ isDue: boolean | null }>(
        `SELECT "dueAt" <= now() AS "isDue" FROM audience_sizings WHERE "audienceId" = $1`,
        audience.id,
      );
      return row.isDue === true;
    };
    // another process may be counting it
    for (let tries = 0; (await isDue()) && tries < 50; tries++)
      await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await isDue()).toBe(false);
  });
});

describe('counting', () => {
  useApp({ SANDBOX: 'true', DELIVERY: 'simulated', AUDIENCE_POPULATION_SCALE: '1000' });
  beforeEach(prepare);

  it('counts flexible audiences of other accounts again whose audiences a restore sets back', async () => {
    const shared = await given.targetableAudience({ account });
    await given.sharedAudience({ account, audience: shared, to: partner });
    const leaf = { custom_audience_id: shared.id, lookback_window: 30 };
    const params = { name: 'Both', audience_type: 'FLEXIBLE', boolean_operator: 'OR' };
    const { items } = await world()
      .get(CustomAudienceBatchService)
      .batch(partner, [
        { operation_type: 'Create', params: { ...params, child_segments: [leaf, { ...leaf, frequency: 1 }] } },
      ]);
    const flexible = items[0].id;
    const settle = async () => {
      const due = () =>
        world().sql(
          'SELECT FROM audience_sizings WHERE "accountId" = ANY($1) AND "dueAt" <= $2::timestamptz',
          [account.id, partner.id],
          world().clock.now().toISOString(),
        );
      // another process may be counting
      for (let tries = 0; tries < 50; tries++) {
        await world().get(SizeAudiencesJob).sizeDue();
        if ((await due()).length === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };
    const size = async () => {
      await settle();
      const [{ size: stored }] = await world().sql<{ size: number | null }>(
        'SELECT "audienceSize" AS size FROM custom_audiences WHERE "accountId" = $1 AND id = $2',
        partner.id,
        flexible,
      );
      return stored;
    };
    expect(await size()).toBe(100);
    await save('before');
    const users = Array.from({ length: 200 }, (_, i) => ({
      email: [createHash('sha256').update(`late ${i}`).digest('hex')],
    }));
    const upload = [{ operation_type: 'Update', params: { users } }];
    const path = `/12/accounts/${account.id}/custom_audiences/${shared.id}/users`;
    await ok(owner.in('sandbox').post(path, { json: upload }));
    await given.sized(account, shared.id);
    expect(await size()).toBe(300);
    await restore('before');
    expect(await size()).toBe(100);
  });

  it('sees only audiences of the account and those that are shared with it, whatever its rows name', async () => {
    const stranger = await given.advertiser({ environment: 'sandbox' });
    const theirs = await given.targetableAudience({ account: stranger.account });
    const own = await given.targetableAudience({ account });
    const leaf = (custom_audience_id: string) => ({ custom_audience_id, lookback_window: 30 });
    const params = { name: 'Both', audience_type: 'FLEXIBLE', boolean_operator: 'OR' };
    const flexible = { ...params, child_segments: [leaf(own.id), { ...leaf(own.id), frequency: 1 }] };
    const { items } = await world()
      .get(CustomAudienceBatchService)
      .batch(account, [{ operation_type: 'Create', params: flexible }]);
    const size = async () => {
      await given.sized({ id: account.id, userId: ownerId }, items[0].id);
      const path = `/12/accounts/${account.id}/custom_audiences/${items[0].id}`;
      return (await ok(owner.in('sandbox').get(path))).data.audience_size as number | null;
    };
    expect(await size()).toBe(100);
    const rename = (from: string, to: string) =>
      world().sql(
        `UPDATE custom_audiences SET segments = replace(segments::text, $2, $3)::json WHERE id = $1`,
        items[0].id,
        from,
        to,
      );
    await rename(own.id, theirs.id);
    expect(await size()).toBeNull();
    await world().sql(
      'UPDATE audience_sizings SET "madeOf" = ARRAY[$2::varchar], "dueAt" = NULL WHERE "audienceId" = $1',
      items[0].id,
      theirs.id,
    );
    const due = () =>
      world().sql<{ dueAt: string | null }>(
        'SELECT "dueAt" FROM audience_sizings WHERE "audienceId" = $1',
        items[0].id,
      );
    await given.sized({ id: stranger.account.id, userId: stranger.user.id }, theirs.id);
    expect(await due()).toEqual([{ dueAt: null }]);

    // a permission of somebody who does not own the audience
    const second = await sandbox();
    await world().sql(
      `INSERT INTO audience_permissions (id, "createdAt", "updatedAt", "accountId", "customAudienceId", "grantedAccountId", "permissionLevel")
        VALUES ($1, now(), now(), $2, $3, $4, 'READ_WRITE')`,
      fresh('p').toLowerCase().replace(/\W/g, ''),
      account.id,
      theirs.id,
      second.id,
    );
    expect((await owner.in('sandbox').get(`/12/accounts/${second.id}/custom_audiences/${theirs.id}`)).status).toBe(404);

    // estimates, and the delivery that uses them
    const names = Array.from({ length: 30 }, (_, i) => `m${i}x${Date.now() % 1e9}`);
    const directory = world().get(DirectoryImportService);
    await directory.store(names.map((username) => directory.read({ username, email: `${username}@example.com` })));
    const users = names.map((name) => ({ email: [hashOf(`${name}@example.com`)] }));
    const upload = [{ operation_type: 'Update', params: { users } }];
    await world().get(CustomAudienceUsersService).upload(stranger.account, theirs.id, upload);
    const criteria = [{ targeting_type: 'CUSTOM_AUDIENCE', targeting_value: theirs.id, operator_type: 'EQ' }] as const;
    const estimate = (of: { id: string }) => world().get(AudienceEstimateService).ofLineItem(of, criteria);
    expect(await estimate(stranger.account)).toBe(30_000);
    expect(await estimate(account)).toBe(0);
    expect(await estimate(second)).toBe(0);
  });
});

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
