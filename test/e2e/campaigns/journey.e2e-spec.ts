import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccountAccessService } from '../../../src/accounts/access/account-access.service.js';
import { SizeAudiencesJob } from '../../../src/audiences/audience-sizes/size-audiences.job.js';
import { SpendingService } from '../../../src/campaigns/spending/spending.service.js';
import type { SpendFunding } from '../../../src/campaigns/funding-instruments/funding-instruments.dto.js';
import { OBJECTIVES, type Objective } from '../../../src/campaigns/entities/line-item.tables.js';
import type { Answer, Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { given, type Client } from '../../support/given.js';
import { sendMultipart } from '../../support/media/upload.js';

useApp();

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
    const [promoted] = await integrator.make('promoted_posts', { line_item_id, post_ids: await integrator.post(post) });
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
      if (renamed) expect(changes[1].changes.name).toEqual({ old: 'ENGAGEMENTS', new: expect.stringMatching(/^Talk/) });
    }
  });
});
