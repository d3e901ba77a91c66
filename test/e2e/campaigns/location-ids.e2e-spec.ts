import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { locationOf } from '../../../src/audiences/locations/countries.js';
import { LocationIds } from '../../../src/audiences/locations/location-ids.service.js';
import { LocationIds1797030000000 } from '../../../src/migrations/1797030000000-LocationIds.js';
import { ApplicationQueries } from '../../../src/auth/credentials/application.queries.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { Api, type Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given } from '../../support/given.js';
import type { Answer, Json } from '../../support/http.js';

/** The targeting values of countries: the derived one, and those of X. */
const US = '96683cc9126741d1';
const GERMANY = [locationOf('DE'), 'fdcd221ac44fa326'];
const FRANCE = [locationOf('FR'), 'f3bfc7dcc928977f', '991b4344edc2d520'];
const ARGENTINA = locationOf('AR');

type Age = 'new' | 'old';
/** What each store returns. */
const RETURNED: Record<Age, { DE: string; FR: string }> = {
  new: { DE: GERMANY[1], FR: FRANCE[1] },
  old: { DE: GERMANY[0], FR: FRANCE[0] },
};

describe('location ids', () => {
  // the tests change what all processes read when they start
  useApp({ SANDBOX: 'true' }, 1);

  let account: ActingAccount;
  let api: Api;
  beforeEach(async () => {
    ({ account, api } = await given.advertiser());
  });

  /** Makes this store a new one, or one that was in use before there were ids of X. */
  async function beStore(age: Age): Promise<void> {
    await world().sql('DELETE FROM store_settings');
    if (age === 'old') await world().sql(`INSERT INTO store_settings VALUES ('location_ids', 'derived')`);
    await world().get(LocationIds).onModuleInit();
  }

  const ok = ({ status, body }: Answer): Json => {
    expect({ status, errors: body.errors }).toEqual({ status: expect.any(Number), errors: undefined });
    return body;
  };
  const locations = async (query: Params) => ok(await api.get('/12/targeting_criteria/locations', { query }));
  const path = () => `/12/accounts/${account.id}/targeting_criteria`;
  const target = (line_item_id: string, targeting_value: string) =>
    api.post(path(), { form: { line_item_id, targeting_type: 'LOCATION', targeting_value } });
  const targeted = async (line_item_ids: string): Promise<string[]> =>
    ok(await api.get(path(), { query: { line_item_ids } })).data.map((each: Json) => each.targeting_value);

  const START = Date.parse('2026-03-01T08:00:00Z');
  const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  /** The job of segments, and its file. */
  async function segments(entity_ids: string, divided: Params): Promise<{ job: Json; parts: Json[] }> {
    const jobs = `/12/stats/jobs/accounts/${account.id}`;
    const query = {
      ...{ entity: 'LINE_ITEM', entity_ids, granularity: 'TOTAL', metric_groups: 'ENGAGEMENT' },
      ...{ placement: 'ALL_ON_PLATFORM', start_time: iso(START), end_time: iso(START + 86_400_000), ...divided },
    };
    const { id_str: job_ids } = ok(await api.post(jobs, { query })).data;
    for (;;) {
      const [job] = ok(await api.get(jobs, { query: { job_ids } })).data;
      if (job.status === 'PROCESSING') {
        await pause(20);
        continue;
      }
      const file = await fetch(`${world().url}${new URL(job.url).pathname}`);
      const { data } = JSON.parse(gunzipSync(Buffer.from(await file.arrayBuffer())).toString());
      return { job, parts: data[0].id_data };
    }
  }
  const delivering = async () => {
    const item = await given.lineItem({ account });
    await given.facts(item, { hour: iso(START), impressions: 50_000 });
    return item.id;
  };

  /** What the migration makes of a store; undone at the end. */
  async function settingsAfter(statement: string): Promise<Json[]> {
    const runner = world().get(DataSource).createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query('DROP TABLE store_settings');
      await runner.query(statement);
      await new LocationIds1797030000000().up(runner);
      return (await runner.query('SELECT * FROM store_settings')) as Json[];
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }

  it('stay those of a store that has users when it is upgraded', async () => {
    expect(await settingsAfter('SELECT 1')).toEqual([{ name: 'location_ids', value: 'derived' }]);
    expect(await settingsAfter('DELETE FROM users')).toEqual([]);
  });

  describe.each<Age>(['new', 'old'])('of a store that is %s', (age) => {
    const { DE, FR } = RETURNED[age];
    beforeEach(() => beStore(age));

    it('are returned by the look-up, one for each country', async () => {
      const named = async (q: string) =>
        (await locations({ location_type: 'COUNTRIES', q })).data.find(({ name }: Json) => name === q).targeting_value;
      expect([await named('Germany'), await named('France')]).toEqual([DE, FR]);
      expect([await named('Argentina'), await named('United States')]).toEqual([ARGENTINA, US]);
      const all: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { data, next_cursor } = await locations({ location_type: 'COUNTRIES', count: 60, cursor });
        all.push(...data.map((each: Json) => each.targeting_value));
        cursor = next_cursor;
      }
      expect([all.length, new Set(all).size]).toEqual([249, 249]);
    });

    it.each([
      ['Germany', GERMANY, DE],
      ['France', FRANCE, FR],
    ])('all mean the same criterion: %s', async (name, ids, expected) => {
      const item = await given.lineItem({ account });
      const criteria: Json[] = [];
      for (const id of [...ids, ids[1].toUpperCase()]) criteria.push(ok(await target(item.id, id)).data);
      for (const criterion of criteria)
        expect(criterion).toMatchObject({ id: criteria[0].id, name, targeting_value: expected });
      expect(await targeted(item.id)).toEqual([expected]);
      const history = await api.get(`/12/accounts/${account.id}/account_history`, {
        query: {
          ...{ entity_type: 'TARGETING_CRITERIA', entity_id: criteria[0].id },
          ...{ start_time: iso(Date.now() - 86_400_000).replace(/T.*/, ''), end_time: iso(Date.now() + 86_400_000).replace(/T.*/, '') }, // prettier-ignore
        },
      });
      expect(ok(history).data[0].entity_data.targeting_value).toBe(expected);
    });

    it('are accepted in a batch, in estimates and in insights', async () => {
      const item = await given.lineItem({ account });
      const operations = [GERMANY, FRANCE].map((ids) => ({
        operation_type: 'Create',
        params: { line_item_id: item.id, targeting_type: 'LOCATION', targeting_value: ids.at(-1) },
      }));
      const batch = ok(await api.post(`/12/batch/accounts/${account.id}/targeting_criteria`, { json: operations }));
      expect(batch.data.map((each: Json) => each.targeting_value)).toEqual([DE, FR]);
      for (const id of [...GERMANY, ...FRANCE]) {
        const json = {
          targeting_criteria: [
            { targeting_type: 'BROAD_KEYWORD', targeting_value: 'tea' },
            { targeting_type: 'LOCATION', targeting_value: id },
          ],
        };
        ok(await api.post(`/12/accounts/${account.id}/audience_estimate`, { json }));
        const query = { keywords: 'tea', granularity: 'DAY', start_time: iso(Date.now() - 86_400_000), location: id };
        ok(await api.get('/12/insights/keywords/search', { query }));
      }
      const unknown = await target(item.id, 'fdcd221ac44fa327');
      expect([unknown.status, unknown.body.errors[0]]).toEqual([
        400,
        expect.objectContaining({ parameter: 'targeting_value', value: 'fdcd221ac44fa327' }),
      ]);
    });

    it('divide statistics, by codes of market areas in the United States and not elsewhere', async () => {
      const id = await delivering();
      const metros = await segments(id, { segmentation_type: 'METROS', country: US });
      const values = metros.parts.map(({ segment }) => segment.segment_value);
      expect(values).toEqual([...values].sort());
      expect(metros.parts.map(({ segment }) => segment)).toContainEqual({
        segment_name: 'Seattle-Tacoma',
        segment_value: '819',
      });
      for (const country of GERMANY) {
        const { job, parts } = await segments(id, { segmentation_type: 'METROS', country });
        expect([job.country, parts]).toEqual([DE, []]);
      }
      const { parts } = await segments(id, { segmentation_type: 'LOCATIONS' });
      const places = parts.map(({ segment }) => segment);
      expect(places).toContainEqual({ segment_name: 'Germany', segment_value: DE });
      expect(places).toContainEqual({ segment_name: 'France', segment_value: FR });
      expect(places.map((each) => each.segment_value)).toEqual(places.map((each) => each.segment_value).sort());
    });

    it('lead to no metro outside of the United States', async () => {
      const metros = async (country_code?: string) =>
        (await locations({ location_type: 'METROS', count: 1_000, country_code })).data.length;
      expect([await metros(), await metros('US'), await metros('DE'), await metros('JP')]).toEqual([210, 210, 0, 0]);
    });
  });

  it('divide the same counts in the same way, whatever they are', async () => {
    const id = await delivering();
    const counts = async (age: Age) => {
      await beStore(age);
      const { parts } = await segments(id, { segmentation_type: 'LOCATIONS' });
      return parts.map(({ segment, metrics }) => `${segment.segment_name} ${metrics.impressions[0]}`).sort();
    };
    const old = await counts('old');
    expect(old.length).toBeGreaterThan(100);
    expect(await counts('new')).toEqual(old);
  });

  it.each<[from: Age, to: Age]>([
    ['old', 'new'],
    ['new', 'old'],
  ])('in a snapshot of a store that is %s become those of one that is %s', async (from, to) => {
    await beStore(from);
    const application = await given.application();
    const { ownerId } = (await world().get(ApplicationQueries).findById(application.id))!;
    const token = await world().get(AccessTokensService).issue(ownerId, application.id, 'write');
    const workbench = new Api({ consumer: application.consumer, token });
    api = workbench.in('sandbox');
    account = await given.account({ userId: ownerId, environment: 'sandbox' });
    const item = await given.lineItem({ account });
    for (const id of [GERMANY[0], FRANCE[0], US]) ok(await target(item.id, id));
    const criteria = [['LOCATION', RETURNED[from].FR, 'EQ'] as const];
    await given.deliveryAudience(account, 'f'.repeat(16), { criteria: criteria.map((each) => [...each]) });
    const snapshot = '/workbench/snapshots/places';
    ok(await workbench.put(snapshot, { form: { account_ids: account.id } }));
    const { signature: _, ...file } = ok(await workbench.get(`${snapshot}/content`));
    await beStore(to);
    ok(await workbench.put(`${snapshot}/content`, { json: file }));
    ok(await workbench.post(`${snapshot}/restore`));
    const expected = [RETURNED[to].DE, RETURNED[to].FR, US].sort();
    const [restored] = ok(await api.get(`/12/accounts/${account.id}/line_items`)).data;
    const found = await targeted(restored.id);
    expect(found.sort()).toEqual(expected);
    const [audience] = await world().sql<{ criteria: string[][] }>(
      'SELECT criteria FROM delivery_audiences WHERE "accountId" = $1',
      account.id,
    );
    expect(audience.criteria).toEqual([['LOCATION', RETURNED[to].FR, 'EQ']]);
  });
});
