import { CampaignsService } from '../../../src/campaigns/campaigns/campaigns.service.js';
import { useApp, world } from '../../support/app.js';
import type { Answer, Json } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';

useApp();

const DAILY = 'daily_budget_amount_local_micro';

let advertiser: Advertiser;
let funding: { id: string };
beforeEach(async () => {
  advertiser = await given.advertiser();
  funding = await given.fundingInstrument({ account: advertiser.account });
});

const path = (id?: string) => `/12/accounts/${advertiser.account.id}/campaigns${id ? `/${id}` : ''}`;
const create = (entity_status = 'ACTIVE') =>
  advertiser.api.post(path(), {
    query: { funding_instrument_id: funding.id, name: 'One of many', [DAILY]: 10_000, entity_status },
  });
const seed = (count: number, entity_status: 'ACTIVE' | 'PAUSED' | 'DRAFT') =>
  given.campaigns({ account: advertiser.account, count, entity_status, funding_instrument_id: funding.id });

/** Does all of it, at most 64 at a time. */
async function by64<R>(count: number, work: (n: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) results.push(await work(next++));
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  return results;
}

function tally(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const error: Json = body.errors?.[0] ?? body.operation_errors?.flat()[0];
    const key = error ? `${status} ${error.code}` : String(status);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** What the account's counter says beside what there is. */
async function counted(): Promise<{ counter: number; stored: number }> {
  const [counts] = await world().sql<{ counter: number; stored: number }>(
    `SELECT n.value AS counter, (SELECT count(*)::int FROM campaigns c
        WHERE c."accountId" = n."ownerId" AND c."entityStatus" = 'ACTIVE' AND c."deletedAt" IS NULL) AS stored
      FROM counters n WHERE n."ownerId" = $1 AND n.kind = 'active campaigns'`,
    advertiser.account.id,
  );
  return counts;
}

describe('the limit of 200 active campaigns', () => {
  it('holds exactly when 300 are created by 64 at once', async () => {
    const answers = await by64(300, () => create());
    expect(tally(answers)).toEqual({ '201': 200, '400 TOO_MANY_CAMPAIGNS': 100 });
    expect(await counted()).toEqual({ counter: 200, stored: 200 });
    const { body } = await advertiser.api.get(path(), { query: { with_total_count: true } });
    expect(body.total_count).toBe(200);
  }, 60_000);

  it('holds exactly when 300 are un-paused by 64 at once', async () => {
    const paused = await seed(300, 'PAUSED');
    const answers = await by64(300, (n) =>
      advertiser.api.put(path(paused[n].id), { query: { entity_status: 'ACTIVE' } }),
    );
    expect(tally(answers)).toEqual({ '200': 200, '400 TOO_MANY_CAMPAIGNS': 100 });
    expect(await counted()).toEqual({ counter: 200, stored: 200 });
  }, 60_000);

  it('holds for batches, of which one is stored whole or not at all', async () => {
    const operation = {
      operation_type: 'Create',
      params: { funding_instrument_id: funding.id, name: 'In a batch', [DAILY]: 10_000 },
    };
    const answers = await by64(10, () =>
      advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, {
        json: Array<Json>(30).fill(operation),
      }),
    );
    expect(tally(answers)).toEqual({ '200': 6, '400 TOO_MANY_CAMPAIGNS': 4 });
    expect(await counted()).toEqual({ counter: 180, stored: 180 });
    const refused = answers.find(({ status }) => status === 400)!;
    expect(refused.body.operation_errors).toHaveLength(30);
    const { status } = await advertiser.api.post(`/12/batch/accounts/${advertiser.account.id}/campaigns`, {
      json: Array<Json>(20).fill(operation),
    });
    expect(status).toBe(200);
    expect(await counted()).toEqual({ counter: 200, stored: 200 });
  }, 60_000);

  it('holds for a batch that trades active campaigns for others', async () => {
    const active = await seed(200, 'ACTIVE');
    const created = {
      operation_type: 'Create',
      params: { funding_instrument_id: funding.id, name: 'In its place', [DAILY]: 10_000 },
    };
    const trade = (count: number) => [
      ...Array<Json>(count).fill(created),
      { operation_type: 'Delete', params: { campaign_id: active[0].id } },
      { operation_type: 'Update', params: { campaign_id: active[1].id, entity_status: 'PAUSED' } },
    ];
    const target = `/12/batch/accounts/${advertiser.account.id}/campaigns`;
    const { status, body } = await advertiser.api.post(target, { json: trade(3) });
    expect(status).toBe(400);
    expect(body.operation_errors.map((own: Json[]) => own.map(({ code }) => code))).toEqual([
      // what the batch gives up makes room for the first two
      [],
      [],
      ['TOO_MANY_CAMPAIGNS'],
      [],
      [],
    ]);
    expect((await advertiser.api.post(target, { json: trade(2) })).status).toBe(200);
    expect(await counted()).toEqual({ counter: 200, stored: 200 });
  }, 60_000);

  it('concerns neither paused ones nor drafts', async () => {
    await seed(200, 'ACTIVE');
    expect((await create('PAUSED')).status).toBe(201);
    expect((await create('DRAFT')).status).toBe(201);
    const refused = await create();
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ code: 'TOO_MANY_CAMPAIGNS' }] } });
    await seed(201, 'PAUSED');
    expect(await counted()).toEqual({ counter: 200, stored: 200 });
  }, 60_000);

  it('has room again when one is paused or deleted', async () => {
    const active = await seed(200, 'ACTIVE');
    const draft = (await create('DRAFT')).body.data;
    await advertiser.api.put(path(active[0].id), { query: { entity_status: 'PAUSED' } });
    expect((await create()).status).toBe(201);
    expect((await advertiser.api.put(path(draft.id), { query: { entity_status: 'ACTIVE' } })).status).toBe(400);
    await advertiser.api.delete(path(active[1].id));
    expect((await advertiser.api.put(path(draft.id), { query: { entity_status: 'ACTIVE' } })).status).toBe(200);
    expect((await advertiser.api.put(path(active[2].id), { query: { name: 'Still renamed' } })).status).toBe(200);
    expect(await counted()).toEqual({ counter: 200, stored: 200 });
  }, 60_000);

  it('can be raised for an account', async () => {
    await seed(200, 'ACTIVE');
    await world().get(CampaignsService).limitActive(advertiser.account.id, 201);
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(400);
  }, 60_000);

  it('is not counted down twice by deletes at once', async () => {
    const [campaign] = await seed(5, 'ACTIVE');
    await Promise.all(Array.from({ length: 20 }, () => advertiser.api.delete(path(campaign.id))));
    expect(await counted()).toEqual({ counter: 4, stored: 4 });
  });

  it('stays right under everything at once', async () => {
    const campaigns = await seed(40, 'ACTIVE');
    const answers = await by64(200, (n) => {
      const id = campaigns[(n * 7) % campaigns.length].id;
      if (n % 4 === 0) return create(n % 8 ? 'PAUSED' : 'ACTIVE');
      if (n % 4 === 1)
        return advertiser.api.put(path(id), { query: { entity_status: n % 8 === 1 ? 'PAUSED' : 'ACTIVE' } });
      if (n % 20 === 3) return advertiser.api.delete(path(id));
      return advertiser.api.put(path(id), { query: { name: `Round ${n}` } });
    });
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    const { counter, stored } = await counted();
    expect(counter).toBe(stored);
  }, 60_000);
});
