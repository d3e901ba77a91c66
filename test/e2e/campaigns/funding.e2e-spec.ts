import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FundingInstrumentsService } from '../../../src/campaigns/funding-instruments/funding-instruments.service.js';
import { FundingInstrument } from '../../../src/campaigns/funding-instruments/funding-instrument.entity.js';
import { FundingInstrumentView } from '../../../src/campaigns/funding-instruments/funding-instrument.presenter.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser, type Client } from '../../support/given.js';
import { listConventions } from '../../support/list-conventions.js';
import { SpendingService } from '../../../src/campaigns/spending/spending.service.js';
import type {
  CreateFundingInstrument,
  SpendFunding,
} from '../../../src/campaigns/funding-instruments/funding-instruments.dto.js';
import { ApiError } from '../../../src/common/errors/api-error.js';
import type { Json, Answer } from '../../support/http.js';
import { AccountAccessService } from '../../../src/accounts/access/account-access.service.js';
import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';
import { OBJECTIVES, type Objective } from '../../../src/campaigns/entities/line-item.tables.js';
import type { Params } from '../../support/api.js';
import { sendMultipart } from '../../support/media/upload.js';

useSharedApp();

describe('funding instruments', () => {
  const HOUR = 3_600_000;

  describe('funding instruments', () => {
    listConventions({
      path: (account) => `/12/accounts/${account.id}/funding_instruments`,
      make: (account, n) =>
        given.fundingInstrument({
          account,
          type: 'PARTNER_MANAGED',
          funded_amount_local_micro: [20_000, null, 30_000, 10_000, null, 40_000, 20_000, 10_000, 30_000][n],
          start_time: `2026-0${[3, 1, 2, 3, 1, 2, 4, 1, 2][n]}-01T00:00:00Z`,
          end_time: [null, '2041-01-01', '2040-01-01', null, '2042-01-01', '2040-01-01', '2043-01-01', null, null][n],
        }),
      remove: ({ account }, id) => world().get(FundingInstrumentsService).delete(account, id),
      view: FundingInstrumentView,
      entity: FundingInstrument,
      idsFilter: 'funding_instrument_ids',
      sortable: ['created_at', 'updated_at', 'deleted', 'funded_amount_local_micro', 'start_time', 'end_time'],
    });

    it('are read singly', async () => {
      const { account, api } = await given.advertiser();
      const { id } = await given.fundingInstrument({
        account,
        type: 'CREDIT_LINE',
        credit_limit_local_micro: 7_000_000,
      });
      const path = `/12/accounts/${account.id}/funding_instruments/${id}`;
      const { status, body } = await api.get(path);
      expect(status).toBe(200);
      expect(body).toEqual({
        request: { params: { account_id: account.id, funding_instrument_id: id } },
        data: {
          id,
          account_id: account.id,
          type: 'CREDIT_LINE',
          description: '(no payment method has been set up yet)',
          currency: 'USD',
          start_time: '2026-01-01T00:00:00Z',
          end_time: null,
          credit_limit_local_micro: 7_000_000,
          funded_amount_local_micro: null,
          credit_remaining_local_micro: 7_000_000,
          able_to_fund: true,
          reasons_not_able_to_fund: [],
          io_header: null,
          entity_status: 'ACTIVE',
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
          deleted: false,
        },
      });
    });

    it('say why they cannot fund', async () => {
      const { account, api } = await given.advertiser();
      const { id } = await given.fundingInstrument({
        account,
        type: 'INSERTION_ORDER',
        start_time: new Date(world().clock.now().getTime() + HOUR).toISOString(),
        end_time: new Date(world().clock.now().getTime() + 2 * HOUR).toISOString(),
        funded_amount_local_micro: 10_000,
      });
      const path = `/12/accounts/${account.id}/funding_instruments/${id}`;
      const reasons = async () => {
        const { data } = (await api.get(path, { query: { with_deleted: true } })).body;
        expect(data.able_to_fund).toBe(data.reasons_not_able_to_fund.length === 0);
        return data.reasons_not_able_to_fund;
      };
      expect(await reasons()).toEqual(['STARTS_IN_FUTURE']);
      world().clock.advance(1.5 * HOUR);
      expect(await reasons()).toEqual([]);
      world().clock.advance(HOUR);
      expect(await reasons()).toEqual(['EXPIRED']);
      await world().sql(`UPDATE funding_instruments SET "spentLocalMicro" = 10000 WHERE id = $1`, id);
      expect(await reasons()).toEqual(['BUDGET_EXHAUSTED', 'EXPIRED']);
      await world().get(FundingInstrumentsService).delete(account, id);
      expect(await reasons()).toEqual(expect.arrayContaining(['DELETED']));
    });

    it('of other accounts, and deleted ones, are not found', async () => {
      const { account, api } = await given.advertiser();
      const stranger = await given.advertiser();
      const theirs = await given.fundingInstrument({ account: stranger.account });
      const gone = await given.fundingInstrument({ account });
      await world().get(FundingInstrumentsService).delete(account, gone.id);
      for (const id of [theirs.id, gone.id, '0zzzzzzzzzzzz']) {
        expect(await api.get(`/12/accounts/${account.id}/funding_instruments/${id}`)).toMatchObject({
          status: 404,
          body: {
            errors: [
              {
                code: 'NOT_FOUND',
                parameter: 'funding_instrument_id',
                message: `Funding Instrument ${id} was not found for Account ${account.id}`,
              },
            ],
          },
        });
      }
    });

    it('can neither be made nor deleted outside the sandbox', async () => {
      const { account, api } = await given.advertiser();
      const { id } = await given.fundingInstrument({ account });
      const path = `/12/accounts/${account.id}/funding_instruments`;
      for (const answer of [
        await api.post(path, { query: { currency: 'USD', start_time: '2026-01-01', type: 'CREDIT_CARD' } }),
        await api.delete(`${path}/${id}`),
      ]) {
        expect(answer).toMatchObject({ status: 404, body: { errors: [{ code: 'ROUTE_NOT_FOUND' }] } });
      }
    });
  });
});

describe('funding spend', () => {
  const DAILY = 'daily_budget_amount_local_micro';
  const TOTAL = 'total_budget_amount_local_micro';

  let advertiser: Advertiser;
  beforeEach(async () => {
    advertiser = await given.advertiser();
  });

  const funded = (params: Partial<CreateFundingInstrument> = {}) =>
    given.fundingInstrument({
      account: advertiser.account,
      type: 'CREDIT_LINE',
      credit_limit_local_micro: 100_000_000,
      ...params,
    });
  const spend = async (id: string, params: SpendFunding) => {
    const spent = await world().get(SpendingService).spend(advertiser.account, id, params);
    await world().caughtUp();
    return spent;
  };
  const read = async (things: string, id: string): Promise<Json> =>
    (await advertiser.api.get(`/12/accounts/${advertiser.account.id}/${things}/${id}`)).body.data;
  const reasons = async (things: string, id: string) => (await read(things, id)).reasons_not_servable;
  const spentOf = async (table: string, id: string) => {
    const text = `SELECT "spentLocalMicro" AS spent FROM ${table} WHERE id = $1`;
    return Number((await world().sql<{ spent: number }>(text, id))[0].spent);
  };
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing',
      (error: unknown) => (error instanceof ApiError ? `${error.code} ${error.detail.parameter}` : String(error)),
    );

  /** A campaign that has the budget, and a line item of it. */
  async function tree(fundingId: string) {
    const { account } = advertiser;
    const campaign = await given.campaign({ account, funding_instrument_id: fundingId, [TOTAL]: 20_000_000 });
    return { campaign, item: await given.lineItem({ account, campaign_id: campaign.id, [TOTAL]: 10_000_000 }) };
  }

  describe('what is spent', () => {
    it('is taken from the credit, until none is left', async () => {
      const { id } = await funded();
      expect(await read('funding_instruments', id)).toMatchObject({ credit_remaining_local_micro: 100_000_000 });
      await spend(id, { amount_local_micro: 60_000_000 });
      expect(await read('funding_instruments', id)).toMatchObject({
        credit_remaining_local_micro: 40_000_000,
        able_to_fund: true,
      });
      await spend(id, { amount_local_micro: 50_000_000 });
      expect(await read('funding_instruments', id)).toMatchObject({
        credit_remaining_local_micro: 0,
        able_to_fund: false,
        reasons_not_able_to_fund: ['BUDGET_EXHAUSTED'],
      });
    });

    it('uses up what was paid in beforehand', async () => {
      const { id } = await funded({
        type: 'PARTNER_MANAGED',
        credit_limit_local_micro: null,
        funded_amount_local_micro: 5_000_000,
      });
      await spend(id, { amount_local_micro: 5_000_000 });
      expect((await read('funding_instruments', id)).reasons_not_able_to_fund).toEqual(['BUDGET_EXHAUSTED']);
    });

    it('of an instrument that can pay no more is a problem of its campaigns and line items, and of new ones', async () => {
      const { id } = await funded();
      const { campaign, item } = await tree(id);
      await spend(id, { amount_local_micro: 100_000_000 });
      expect(await reasons('campaigns', campaign.id)).toContain('FUNDING_PROBLEM');
      expect(await reasons('line_items', item.id)).toContain('FUNDING_PROBLEM');
      const another = await advertiser.api.post(`/12/accounts/${advertiser.account.id}/campaigns`, {
        query: { funding_instrument_id: id, name: 'Another', [DAILY]: 1_000_000 },
      });
      expect({ status: another.status, codes: another.body.errors.map(({ code }: Json) => code) }).toEqual({
        status: 403,
        codes: expect.arrayContaining(['FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT']),
      });
    });

    it('of a campaign is paid: its budgets can be lowered, and raised by what is left', async () => {
      const { id } = await funded({ credit_limit_local_micro: 20_000_000 });
      const total = 'total_budget_amount_local_micro';
      const campaign = await given.campaign({
        account: advertiser.account,
        funding_instrument_id: id,
        [DAILY]: 10_000_000,
        [total]: 20_000_000,
      });
      await spend(id, { amount_local_micro: 15_000_000, campaign_id: campaign.id });
      const update = async (query: Params) => {
        const path = `/12/accounts/${advertiser.account.id}/campaigns/${campaign.id}`;
        const { status, body } = await advertiser.api.put(path, { query });
        return [status, ...(body.errors ?? []).map(({ parameter }: Json) => parameter as string)];
      };
      expect(await update({ [DAILY]: 5_000_000 })).toEqual([200]);
      expect(await update({ [total]: 18_000_000 })).toEqual([200]);
      expect(await update({ [total]: 20_000_000 })).toEqual([200]);
      expect(await update({ [total]: 20_010_000 })).toEqual([403, total]);
      expect(await update({ [total]: '' })).toEqual([200]);
      expect(await update({ [DAILY]: 5_010_000 })).toEqual([403, DAILY]);
    });

    it('on a line item counts for its campaign and its funding, and exhausts the line item first', async () => {
      const { id } = await funded({ credit_limit_local_micro: 20_000_000 });
      const { campaign, item } = await tree(id);
      const other = await given.lineItem({ account: advertiser.account, campaign_id: campaign.id });
      await spend(id, { amount_local_micro: 10_000_000, line_item_id: item.id });
      expect(await spentOf('line_items', item.id)).toBe(10_000_000);
      expect(await spentOf('campaigns', campaign.id)).toBe(10_000_000);
      expect(await read('funding_instruments', id)).toMatchObject({ credit_remaining_local_micro: 10_000_000 });
      // the budget of a line item counts for it alone
      expect(await reasons('line_items', item.id)).toEqual(['INCOMPLETE', 'BUDGET_EXHAUSTED']);
      expect(await reasons('line_items', other.id)).toEqual(['INCOMPLETE']);
      expect(await reasons('campaigns', campaign.id)).toEqual(['INCOMPLETE']);

      await spend(id, { amount_local_micro: 10_000_000, campaign_id: campaign.id, line_item_id: item.id });
      for (const [things, thing] of [
        ['campaigns', campaign],
        ['line_items', item],
        ['line_items', other],
      ] as const) {
        expect(await reasons(things, thing.id)).toEqual(['INCOMPLETE', 'BUDGET_EXHAUSTED', 'FUNDING_PROBLEM']);
      }
    });

    it('on a campaign leaves its line items as they are', async () => {
      const { id } = await funded();
      const { campaign, item } = await tree(id);
      const before = await read('campaigns', campaign.id);
      await spend(id, { amount_local_micro: 3_000_000, campaign_id: campaign.id });
      expect(await spentOf('campaigns', campaign.id)).toBe(3_000_000);
      expect(await spentOf('line_items', item.id)).toBe(0);
      // nobody changed it
      expect(await read('campaigns', campaign.id)).toEqual(before);
    });

    it('cannot be undercut by a budget any more', async () => {
      const { id } = await funded();
      const { campaign, item } = await tree(id);
      await spend(id, { amount_local_micro: 8_000_000, line_item_id: item.id });
      for (const [things, thing] of [
        ['campaigns', campaign],
        ['line_items', item],
      ] as const) {
        const { status, body } = await advertiser.api.put(
          `/12/accounts/${advertiser.account.id}/${things}/${thing.id}`,
          {
            query: { [TOTAL]: 7_000_000 },
          },
        );
        expect({ status, code: body.errors[0].code }).toEqual({ status: 400, code: 'SPEND_EXCEEDS_BUDGET' });
      }
    });

    it('adds up, however many say so at once', async () => {
      const { id } = await funded();
      const { campaign, item } = await tree(id);
      const path = `/12/accounts/${advertiser.account.id}`;
      await Promise.all([
        ...Array.from({ length: 10 }, () => spend(id, { amount_local_micro: 10_000, line_item_id: item.id })),
        ...Array.from({ length: 5 }, () => spend(id, { amount_local_micro: 10_000, campaign_id: campaign.id })),
        spend(id, { amount_local_micro: 10_000 }),
        ...[1, 2, 3].flatMap((i) => [
          advertiser.api.put(`${path}/campaigns/${campaign.id}`, { query: { name: `Name ${i}` } }),
          advertiser.api.put(`${path}/line_items/${item.id}`, { query: { name: `Name ${i}` } }),
        ]),
      ]);
      expect(await spentOf('line_items', item.id)).toBe(100_000);
      expect(await spentOf('campaigns', campaign.id)).toBe(150_000);
      expect(await spentOf('funding_instruments', id)).toBe(160_000);
    });

    it('is recorded of the funding instrument', async () => {
      const { id } = await funded();
      await spend(id, { amount_local_micro: 100_000_000 });
      const changes = await world().sql<Json>(
        `SELECT "changeType" AS type, changes FROM account_changes WHERE "entityType" = 'FUNDING_INSTRUMENT' AND "entityId" = $1 ORDER BY id`,
        id,
      );
      expect(changes).toMatchObject([
        { type: 'CREATE' },
        {
          type: 'UPDATE',
          changes: {
            able_to_fund: { old: true, new: false },
            credit_remaining_local_micro: { old: 100_000_000, new: 0 },
          },
        },
      ]);
    });

    it('is refused where what it was spent on is not there, or another pays for it, and then is not stored', async () => {
      const { account, api } = advertiser;
      const { id } = await funded();
      const { campaign, item } = await tree(id);
      const elsewhere = await tree((await funded()).id);
      const stranger = await given.advertiser();
      const theirs = await given.lineItem({ account: stranger.account });
      const amount_local_micro = 10_000;
      const refused = (params: Partial<SpendFunding>, of = id) => refusal(spend(of, { amount_local_micro, ...params }));

      expect(await refused({}, '0zzzzzzzzzzzz')).toBe('NOT_FOUND funding_instrument_id');
      for (const line_item_id of [theirs.id, elsewhere.item.id, '0zzzzzzzzzzzz'])
        expect(await refused({ line_item_id })).toBe('NOT_FOUND line_item_id');
      expect(await refused({ line_item_id: item.id, campaign_id: elsewhere.campaign.id })).toBe(
        'NOT_FOUND line_item_id',
      );
      for (const campaign_id of [theirs.campaignId, elsewhere.campaign.id])
        expect(await refused({ campaign_id })).toBe('NOT_FOUND campaign_id');
      expect(await refused({ amount_local_micro: 10_001 })).toBe('INVALID_DENOMINATION amount_local_micro');
      await api.delete(`/12/accounts/${account.id}/campaigns/${campaign.id}`);
      expect(await refused({ campaign_id: campaign.id })).toBe('NOT_FOUND campaign_id');
      expect(await refused({ line_item_id: item.id })).toBe('NOT_FOUND line_item_id');
      expect(await spentOf('funding_instruments', id)).toBe(0);

      await spend(id, { amount_local_micro: Number.MAX_SAFE_INTEGER - (Number.MAX_SAFE_INTEGER % 10_000) });
      expect(await refused({})).toBe('INVALID_PARAMETER amount_local_micro');
      await world().get(FundingInstrumentsService).delete(account, id);
      expect(await refused({})).toBe('NOT_FOUND funding_instrument_id');
    });
  });
});

describe('journey', () => {
  const DAY = 86_400_000;
  const DAILY = 'daily_budget_amount_local_micro';
  const TOTAL = 'total_budget_amount_local_micro';
  const LOS_ANGELES = '3b77caf94bfc81fe';
  const IOS_APP = '333903271';

  /** What has its history told. */
  type Told = 'CAMPAIGN' | 'LINE_ITEM' | 'PROMOTED_POST' | 'TARGETING_CRITERIA' | 'PROMOTED_ACCOUNT';

  /** What a line item says of itself and where it shows what, beside what all have. */
  const ASKED: Record<Objective, Params> = {
    APP_ENGAGEMENTS: { ios_app_store_identifier: IOS_APP },
    APP_INSTALLS: { ios_app_store_identifier: IOS_APP },
    REACH: { frequency_cap: 5, duration_in_days: 7 },
    FOLLOWERS: { product_type: 'PROMOTED_ACCOUNT' },
    ENGAGEMENTS: { bid_strategy: 'MAX', bid_amount_local_micro: 100_000 },
    VIDEO_VIEWS: {},
    PREROLL_VIEWS: { product_type: 'MEDIA', categories: 'IAB3' },
    WEBSITE_CLICKS: { goal: 'LINK_CLICKS' },
  };

  /** An integrator in the sandbox: all that they do are requests, signed, but what a command of the operator does. */
  class Integrator {
    private constructor(
      readonly client: Client,
      readonly accountId: string,
    ) {}

    static async begin(): Promise<Integrator> {
      const client = await given.client({ environment: 'sandbox' });
      const { data } = expected(201, await client.api.post('/12/accounts'));
      return new Integrator(client, data[0].id);
    }

    async make(things: string, query: Params): Promise<Json> {
      return expected(201, await this.client.api.post(this.path(things), { query })).data;
    }

    async read(things: string, id: string, query: Params = {}): Promise<Json> {
      return expected(200, await this.client.api.get(this.path(`${things}/${id}`), { query })).data;
    }

    async change(things: string, id: string, query: Params): Promise<Json> {
      return expected(200, await this.client.api.put(this.path(`${things}/${id}`), { query })).data;
    }

    async remove(things: string, id: string): Promise<void> {
      const { data } = expected(200, await this.client.api.delete(this.path(`${things}/${id}`)));
      expect(data).toMatchObject({ id, deleted: true });
      const gone = await this.client.api.get(this.path(`${things}/${id}`));
      expect({ status: gone.status, code: gone.body.errors[0].code }).toEqual({ status: 404, code: 'NOT_FOUND' });
      expect(await this.read(things, id, { with_deleted: true })).toMatchObject({ id, deleted: true });
    }

    async list(things: string, query: Params = {}): Promise<Json[]> {
      return expected(200, await this.client.api.get(this.path(things), { query })).data;
    }

    /** Uploads a file of the demo and adds it to the library; answers its key. */
    async upload(media_category: string, file: string): Promise<string> {
      const bytes = readFileSync(join(import.meta.dirname, '../../../assets/demo', file));
      const { media_key } = expected(200, await sendMultipart(this.client, { media_category }, bytes));
      return (await this.make('media_library', { media_key })).media_key;
    }

    /** Publishes a post that is promoted only. */
    async post(params: Params): Promise<string> {
      return (await this.make('post', { as_user_id: this.client.user.id, ...params })).id_str;
    }

    async card(components: Json[]): Promise<string> {
      const json = { name: 'App', components };
      return expected(201, await this.client.api.post(this.path('cards'), { json })).data.card_uri;
    }

    /** An audience with so many people that it can be targeted, as soon as they are counted. */
    async audience(): Promise<string> {
      const { id } = await this.make('custom_audiences', { name: 'Regulars' });
      const users = Array.from({ length: 100 }, (_, i) => ({
        email: [createHash('sha256').update(`regular ${i}`).digest('hex')],
      }));
      const json = [{ operation_type: 'Update', params: { users } }];
      expected(200, await this.client.api.post(this.path(`custom_audiences/${id}/users`), { json }));
      world().clock.advance(6_000);
      await world().get(SizeAudiencesJob).sizeDue();
      expect(await this.read('custom_audiences', id)).toMatchObject({ targetable: true });
      return id;
    }

    /** What `marquee funding spend` does. */
    async spend(fundingId: string, params: SpendFunding): Promise<void> {
      const account = await world().get(AccountAccessService).find('sandbox', this.accountId, this.client.user.id);
      await world().get(SpendingService).spend(account!, fundingId, params);
      await world().caughtUp();
    }

    /** What was done to something, the first first. */
    async history(entity_type: Told, entity_id: string): Promise<Json[]> {
      const query = { entity_type, entity_id, start_time: hours(-24 * 200), end_time: hours(1) };
      return (await this.list('account_history', query)).reverse();
    }

    private path(rest: string): string {
      return `/12/accounts/${this.accountId}/${rest}`;
    }
  }

  /** The body of an answer of this status; another one is shown with what it says. */
  function expected(status: number, answer: Answer): Json {
    expect({ status: answer.status, errors: answer.body?.errors }).toEqual({ status });
    return answer.body;
  }

  /** A whole hour, so far from now. */
  const hours = (offset: number): string => {
    const hour = DAY / 24;
    const at = new Date((Math.floor(world().clock.now().getTime() / hour) + offset) * hour);
    return `${at.toISOString().slice(0, 19)}Z`;
  };

  interface Tree {
    campaign: string;
    item: string;
  }

  describe('an integrator', () => {
    let integrator: Integrator;
    let funding: string;
    beforeEach(async () => {
      integrator = await Integrator.begin();
      const terms = {
        type: 'CREDIT_LINE',
        currency: 'USD',
        start_time: hours(-24),
        credit_limit_local_micro: 500_000_000,
      };
      funding = (await integrator.make('funding_instruments', terms)).id;
    });

    /** A campaign with one line item. */
    async function begun(objective: Objective, more: Params = {}): Promise<Tree> {
      const { id: campaign } = await integrator.make('campaigns', {
        funding_instrument_id: funding,
        name: objective,
        [DAILY]: 10_000_000,
        [TOTAL]: 100_000_000,
      });
      const { id: item } = await integrator.make('line_items', {
        campaign_id: campaign,
        objective,
        product_type: 'PROMOTED_POSTS',
        placements: 'ALL_ON_PLATFORM',
        start_time: hours(-1),
        end_time: hours(24 * 30),
        name: objective,
        ...ASKED[objective],
        ...more,
      });
      return { campaign, item };
    }

    const standing = async ({ campaign, item }: Tree) => {
      const seen = await Promise.all([integrator.read('campaigns', campaign), integrator.read('line_items', item)]);
      return seen.map(({ servable, effective_status, reasons_not_servable }) =>
        [servable, effective_status, ...reasons_not_servable].join(' '),
      );
    };
    const both = (standing: string) => [standing, standing];
    const RUNNING = both('true RUNNING');

    /** What a line item of an objective shows: promoted posts, accounts, media creatives. */
    const SHOWS: Record<Objective, (line_item_id: string) => Promise<Json>> = {
      APP_ENGAGEMENTS: (line_item_id) => promoteApp(line_item_id),
      APP_INSTALLS: (line_item_id) => promoteApp(line_item_id),
      REACH: (line_item_id) => promote(line_item_id, { text: 'Everybody should know' }),
      FOLLOWERS: (line_item_id) =>
        integrator.make('promoted_accounts', { line_item_id, user_id: integrator.client.user.id }),
      ENGAGEMENTS: (line_item_id) => promote(line_item_id, { text: 'What do you say?' }),
      VIDEO_VIEWS: async (line_item_id) =>
        promote(line_item_id, { text: 'Look', media_keys: await integrator.upload('post_video', 'cold-brew.mp4') }),
      PREROLL_VIEWS: async (line_item_id) => {
        await integrator.upload('amplify_video', 'in-stream.mp4');
        const [{ id: account_media_id }, ...others] = await integrator.list('account_media', {
          creative_types: 'PREROLL',
        });
        expect(others).toEqual([]);
        return integrator.make('media_creatives', { line_item_id, account_media_id });
      },
      WEBSITE_CLICKS: (line_item_id) => promote(line_item_id, { text: 'Offers: https://example.com/offers' }),
    };
    async function promote(line_item_id: string, post: Params): Promise<Json> {
      const [promoted] = await integrator.make('promoted_posts', {
        line_item_id,
        post_ids: await integrator.post(post),
      });
      return promoted;
    }
    async function promoteApp(line_item_id: string): Promise<Json> {
      const media_key = await integrator.upload('post_image', 'autumn-blend.jpg');
      const destination = { type: 'APP', country_code: 'US', ios_app_store_identifier: IOS_APP };
      const card_uri = await integrator.card([
        { type: 'MEDIA', media_key },
        { type: 'BUTTON', label: { type: 'ENUM', value: 'INSTALL' }, destination },
      ]);
      return promote(line_item_id, { text: 'Our app', card_uri });
    }

    it.each([...OBJECTIVES])('brings %s to where it serves', async (objective) => {
      const tree = await begun(objective);
      expect(await standing(tree)).toEqual(both('false UNKNOWN INCOMPLETE'));
      await integrator.make('targeting_criteria', {
        line_item_id: tree.item,
        targeting_type: 'LOCATION',
        targeting_value: LOS_ANGELES,
      });
      expect(await SHOWS[objective](tree.item)).toMatchObject({ line_item_id: tree.item, entity_status: 'ACTIVE' });
      expect(await standing(tree)).toEqual(RUNNING);
      expect(await integrator.list('line_items', { campaign_ids: tree.campaign })).toMatchObject([
        { id: tree.item, objective, servable: true },
      ]);
    });

    it('targets an audience at a place with an interest, and sees from the audience what names it', async () => {
      const tree = await begun('ENGAGEMENTS');
      const audience = await integrator.audience();
      const [interest] = expected(200, await integrator.client.api.get('/12/targeting_criteria/interests')).data;
      const wanted = [
        ['CUSTOM_AUDIENCE', audience],
        ['LOCATION', LOS_ANGELES],
        ['INTEREST', interest.targeting_value],
      ];
      for (const [targeting_type, targeting_value] of wanted)
        await integrator.make('targeting_criteria', {
          line_item_id: tree.item,
          targeting_type,
          targeting_value,
          operator_type: 'EQ',
        });
      const criteria = await integrator.list('targeting_criteria', { line_item_ids: tree.item });
      const kept = criteria.map(({ targeting_type: type, targeting_value: value }) => [type, value]);
      expect(kept).toEqual(expect.arrayContaining(wanted));

      const targeted = (with_active?: boolean) =>
        integrator.list(`custom_audiences/${audience}/targeted`, { with_active });
      const names = (servable: boolean) => [
        {
          campaign_id: tree.campaign,
          campaign_name: 'ENGAGEMENTS',
          line_items: [{ id: tree.item, name: 'ENGAGEMENTS', servable }],
        },
      ];
      expect(await targeted()).toEqual([]);
      expect(await targeted(false)).toEqual(names(false));
      await SHOWS.ENGAGEMENTS(tree.item);
      expect(await targeted()).toEqual(names(true));
      await integrator.change('line_items', tree.item, { entity_status: 'PAUSED' });
      expect(await targeted()).toEqual([]);
      expect(await targeted(false)).toEqual(names(false));
      await integrator.remove('line_items', tree.item);
      expect(await targeted(false)).toEqual([]);
    });

    it('sees why something does not serve: paused, spent, too early, too late', async () => {
      const tree = await begun('ENGAGEMENTS', { [TOTAL]: 20_000_000, start_time: hours(48) });
      await SHOWS.ENGAGEMENTS(tree.item);
      expect(await standing(tree)).toEqual(both('false SCHEDULED STARTS_IN_FUTURE'));
      const updated = (await integrator.read('line_items', tree.item)).updated_at;
      world().clock.advance(2 * DAY);
      expect(await standing(tree)).toEqual(RUNNING);

      await integrator.change('line_items', tree.item, { entity_status: 'PAUSED' });
      expect(await standing(tree)).toEqual(both('false PAUSED PAUSED_BY_ADVERTISER'));
      await integrator.change('campaigns', tree.campaign, { entity_status: 'PAUSED' });
      await integrator.change('line_items', tree.item, { entity_status: 'ACTIVE' });
      expect(await standing(tree)).toEqual(both('false PAUSED PAUSED_BY_ADVERTISER'));
      await integrator.change('campaigns', tree.campaign, { entity_status: 'ACTIVE' });
      expect(await standing(tree)).toEqual(RUNNING);

      const spend = (amount_local_micro: number, on: Partial<SpendFunding>) =>
        integrator.spend(funding, { amount_local_micro, ...on });
      await spend(20_000_000, { line_item_id: tree.item });
      expect(await standing(tree)).toEqual(['true RUNNING', 'false EXHAUSTED BUDGET_EXHAUSTED']);
      await integrator.change('line_items', tree.item, { [TOTAL]: 30_000_000 });
      expect(await standing(tree)).toEqual(RUNNING);
      await spend(80_000_000, { campaign_id: tree.campaign });
      expect(await standing(tree)).toEqual(both('false EXHAUSTED BUDGET_EXHAUSTED'));
      await integrator.change('campaigns', tree.campaign, { [TOTAL]: 200_000_000 });
      expect(await standing(tree)).toEqual(RUNNING);
      await spend(400_000_000, {});
      expect(await integrator.read('funding_instruments', funding)).toMatchObject({
        able_to_fund: false,
        credit_remaining_local_micro: 0,
        reasons_not_able_to_fund: ['BUDGET_EXHAUSTED'],
      });
      expect(await standing(tree)).toEqual(both('false EXHAUSTED FUNDING_PROBLEM'));

      const last = (await integrator.read('line_items', tree.item)).updated_at;
      expect(last > updated).toBe(true);
      world().clock.advance(30 * DAY);
      expect(await standing(tree)).toEqual(both('false EXHAUSTED FUNDING_PROBLEM EXPIRED'));
      expect((await integrator.read('line_items', tree.item)).updated_at).toBe(last);
    });

    it('sees that something is over without a write', async () => {
      const tree = await begun('FOLLOWERS');
      await SHOWS.FOLLOWERS(tree.item);
      const read = () =>
        Promise.all([integrator.read('campaigns', tree.campaign), integrator.read('line_items', tree.item)]);
      const before = await read();
      world().clock.advance(30 * DAY + DAY / 24);
      expect(await standing(tree)).toEqual(both('false EXPIRED EXPIRED'));
      expect((await read()).map(({ updated_at }) => updated_at)).toEqual(before.map(({ updated_at }) => updated_at));
    });

    it('deletes everything, and reads in the history what was done', async () => {
      const posts = await begun('ENGAGEMENTS');
      const followers = await begun('FOLLOWERS');
      const promotedPost = await SHOWS.ENGAGEMENTS(posts.item);
      const promotedAccount = await SHOWS.FOLLOWERS(followers.item);
      const criterion = await integrator.make('targeting_criteria', {
        line_item_id: posts.item,
        targeting_type: 'LOCATION',
        targeting_value: LOS_ANGELES,
      });
      await integrator.change('line_items', posts.item, { name: 'Talk' });
      await integrator.change('campaigns', posts.campaign, { name: 'Talk of the town' });
      const made: [Told, string, string][] = [
        ['TARGETING_CRITERIA', 'targeting_criteria', criterion.id],
        ['PROMOTED_POST', 'promoted_posts', promotedPost.id],
        ['PROMOTED_ACCOUNT', 'promoted_accounts', promotedAccount.id],
        ['LINE_ITEM', 'line_items', posts.item],
        ['CAMPAIGN', 'campaigns', posts.campaign],
      ];
      for (const [, things, id] of made) {
        await integrator.remove(things, id);
        if (things === 'promoted_posts') expect(await standing(posts)).toEqual(both('false UNKNOWN INCOMPLETE'));
        if (things === 'promoted_accounts') expect(await standing(followers)).toEqual(both('false UNKNOWN INCOMPLETE'));
      }
      for (const [entity, , id] of made) {
        const changes = await integrator.history(entity, id);
        const renamed = entity === 'LINE_ITEM' || entity === 'CAMPAIGN';
        expect({ entity, types: changes.map(({ change_type }) => change_type) }).toEqual({
          entity,
          types: renamed ? ['CREATE', 'UPDATE', 'DELETE'] : ['CREATE', 'DELETE'],
        });
        for (const change of changes) {
          expect(change).toMatchObject({ entity, entity_id: id, change_by: { user_id: integrator.client.user.id } });
        }
        expect(changes.map(({ entity_data }) => entity_data.deleted).at(-1)).toBe(true);
        if (renamed)
          expect(changes[1].changes.name).toEqual({ old: 'ENGAGEMENTS', new: expect.stringMatching(/^Talk/) });
      }
    });
  });
});
