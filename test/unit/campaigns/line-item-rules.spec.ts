import type { Row } from '../../../src/common/db/query/rows.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import type { Campaign } from '../../../src/campaigns/entities/campaign.entity.js';
import {
  newLineItem,
  patchOfLineItem,
  problemsOfNewLineItem,
  problemsOfLineItemPatch,
} from '../../../src/campaigns/line-items/line-item.changes.js';
import type { LineItem } from '../../../src/campaigns/entities/line-item.entity.js';
import { CONDITIONS } from '../../../src/campaigns/line-items/line-item.rules.js';
import { termsOfNew, type LineItemContext } from '../../../src/campaigns/line-items/line-item.terms.js';
import { GOALS, OBJECTIVES, TERMS, type Objective } from '../../../src/campaigns/entities/line-item.tables.js';
import type { CreateLineItem, UpdateLineItem } from '../../../src/campaigns/line-items/line-items.dto.js';

const NOW = new Date('2026-06-01T00:00:00Z');
const BID = 'bid_amount_local_micro';
const DAILY = 'daily_budget_amount_local_micro';
const TOTAL = 'total_budget_amount_local_micro';

const campaign = (more: Partial<Row<Campaign>> = {}) =>
  ({
    id: 'c1',
    fundingInstrumentId: 'f1',
    currency: 'USD',
    budgetOptimization: 'CAMPAIGN',
    dailyBudgetAmountLocalMicro: 100_000_000,
    totalBudgetAmountLocalMicro: null,
    objective: null,
    productType: null,
    ...more,
  }) as Row<Campaign>;

const context = (more: Partial<LineItemContext> = {}): LineItemContext => ({
  campaign: campaign(),
  bids: { minimum: 10_000, maximum: 1_000_000_000, denomination: 10_000 },
  account: { id: 'a', features: ['REACH_FREQUENCY_CAP'] },
  advertiser: '7',
  categories: {
    unknown: (ids) => ids.filter((id) => id === 'IAB99'),
    groups: (ids) => [...new Set(ids.filter((id) => id !== 'IAB26').map((id) => id.split('-')[0]))],
  },
  tags: new Set(['o1', 'o2']),
  products: { catalogId: '1', setIds: new Set(['11', '12']) },
  now: NOW,
  ...more,
});

const LATER = { account: { id: 'a', features: [], asOf: '2026-06-27' } };

const params = (more: Partial<CreateLineItem> = {}): CreateLineItem => ({
  campaign_id: 'c1',
  objective: 'ENGAGEMENTS',
  product_type: 'PROMOTED_POSTS',
  placements: ['ALL_ON_PLATFORM'],
  start_time: '2026-06-02T00:00:00Z',
  end_time: '2026-07-01T00:00:00Z',
  ...more,
});

const whole = (ids: readonly string[]) => [...ids];
const problems = (more: Partial<CreateLineItem>, surroundings: Partial<LineItemContext> = {}) =>
  problemsOfNewLineItem(Parsed.complete(params(more)), context(surroundings)).map(
    ({ code, detail }) => `${code} ${detail.parameter}`,
  );

const ofItems = { campaign: campaign({ budgetOptimization: 'LINE_ITEM' }) };
const clicks = { objective: 'WEBSITE_CLICKS' } as const;
const reach = { objective: 'REACH' } as const;
const preroll = { objective: 'PREROLL_VIEWS', product_type: 'MEDIA', categories: ['IAB3'] } as const;
const followers = { objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' } as const;
const installs = { objective: 'APP_INSTALLS', ios_app_store_identifier: '123' } as const;
const network = { placements: ['PUBLISHER_NETWORK'], advertiser_domain: 'example.com', categories: ['IAB3'] } as const;

const products = {
  objective: 'WEBSITE_CLICKS',
  goal: 'WEBSITE_CONVERSIONS',
  primary_web_event_tag: 'o1',
  creative_source: 'DYNAMIC_PRODUCT_CREATIVE',
  catalog_id: '1',
  product_set_id: '11',
} as const;

type Case = [what: string, params: Partial<CreateLineItem>, problems: string[], context?: Partial<LineItemContext>];

/** A row for each sentence of the rules. */
const CASES: Case[] = [
  ['the least there has to be', {}, []],
  ['followers are won by accounts', { objective: 'FOLLOWERS' }, ['INVALID_PARAMETER product_type']],
  ['accounts win followers', followers, []],
  ['and nothing else', { product_type: 'PROMOTED_ACCOUNT' }, ['INVALID_PARAMETER product_type']],
  [
    'in-stream videos are media',
    { ...preroll, product_type: 'PROMOTED_POSTS' } as never,
    ['INVALID_PARAMETER product_type'],
  ],
  ['engagements need posts', { product_type: 'MEDIA' }, ['INVALID_PARAMETER product_type']],
  ['video views need posts', { objective: 'VIDEO_VIEWS', product_type: 'MEDIA' }, ['INVALID_PARAMETER product_type']],
  ['images can be reached with', { ...reach, product_type: 'MEDIA', placements: ['TAP_FULL'] }, []],
  [
    'another objective than the others',
    {},
    ['INVALID_PARAMETER objective'],
    { campaign: campaign({ objective: 'REACH' }) },
  ],
  [
    'the same as the others',
    {},
    [],
    { campaign: campaign({ objective: 'ENGAGEMENTS', productType: 'PROMOTED_POSTS' }) },
  ],
  ['another product', {}, ['INVALID_PARAMETER product_type'], { campaign: campaign({ productType: 'MEDIA' }) }],
  ['where posts are not', { placements: ['TAP_FULL'] }, ['INVALID_PARAMETER placements']],
  [
    'where accounts are not',
    { ...followers, placements: ['PLATFORM_SEARCH'] } as never,
    ['INVALID_PARAMETER placements'],
  ],
  ['in-stream videos on the platform', { ...preroll, placements: ['ALL_ON_PLATFORM'] } as never, []],
  [
    'in-stream videos as banners',
    { ...preroll, placements: ['TAP_BANNER'] } as never,
    ['INVALID_PARAMETER placements'],
  ],
  ['images on the platform', { ...reach, product_type: 'MEDIA' }, ['INVALID_PARAMETER placements']],
  [
    'images on the platform and on the network',
    { ...installs, ...network, product_type: 'MEDIA', placements: ['PUBLISHER_NETWORK', 'ALL_ON_PLATFORM'] } as never,
    ['INVALID_PARAMETER placements'],
  ],
  [
    'what shows nothing',
    { ...clicks, product_type: 'MEDIA', placements: ['TAP_NATIVE'] },
    ['INVALID_PARAMETER placements'],
  ],
  ['profiles alone', { placements: ['PLATFORM_PROFILE'] }, ['INVALID_PARAMETER placements']],
  ['profiles and the timeline', { placements: ['PLATFORM_PROFILE', 'PLATFORM_TIMELINE'] }, []],
  ['reach beside the timeline', { ...reach, placements: ['PLATFORM_SEARCH'] }, ['INVALID_PARAMETER placements']],
  ['reach on the timeline', { ...reach, placements: ['PLATFORM_TIMELINE'] }, []],
  ['no end, with a total budget', { end_time: undefined, [TOTAL]: 10_000 }, ['MISSING_PARAMETER end_time'], ofItems],
  ['an end at the start', { end_time: '2026-06-02T00:00:00Z' }, ['INVALID_TIME_WINDOW end_time']],
  ['an end a second after the start', { end_time: '2026-06-02T00:00:01Z' }, []],
  [
    'an end that is over',
    { start_time: '2026-01-01T00:00:00Z', end_time: '2026-05-01T00:00:00Z' },
    ['INVALID_TIME_WINDOW end_time'],
  ],
  [
    'the network without a domain',
    { ...network, advertiser_domain: undefined } as never,
    ['MISSING_PARAMETER advertiser_domain'],
  ],
  ['the network without categories', { ...network, categories: [] } as never, ['INVALID_PARAMETER categories']],
  ['the network with both', network as never, []],
  ['a category that there is not', { categories: ['IAB99'] }, ['INVALID_PARAMETER categories']],
  ['in-stream videos without categories', { ...preroll, categories: undefined }, ['INVALID_PARAMETER categories']],
  ['of two businesses', { ...preroll, categories: ['IAB3', 'IAB4'] }, []],
  ['of three', { ...preroll, categories: ['IAB3', 'IAB4', 'IAB5'] }, ['INVALID_PARAMETER categories']],
  ['of none', { ...preroll, categories: ['IAB26'] }, ['INVALID_PARAMETER categories']],
  [
    'of two and one that there is not',
    { ...preroll, categories: ['IAB3', 'IAB4', 'IAB99'] },
    ['INVALID_PARAMETER categories'],
  ],
  ['an app without an identifier', { objective: 'APP_INSTALLS' }, ['MISSING_PARAMETER android_app_store_identifier']],
  ['an app with one', installs, []],
  [
    'engagement with an app without one',
    { objective: 'APP_ENGAGEMENTS' },
    ['MISSING_PARAMETER android_app_store_identifier'],
  ],
  ['purchases of what is installed', { ...installs, goal: 'APP_PURCHASES' }, []],
  [
    'purchases of an app that is used',
    { ...installs, objective: 'APP_ENGAGEMENTS', goal: 'APP_PURCHASES' },
    ['INVALID_PARAMETER goal'],
  ],
  ['visits of a website', { ...clicks, goal: 'SITE_VISITS' }, []],
  ['visits of posts', { goal: 'SITE_VISITS' }, ['INVALID_PARAMETER goal']],
  [
    'conversions without a tag',
    { ...clicks, goal: 'WEBSITE_CONVERSIONS' },
    ['MISSING_PARAMETER primary_web_event_tag'],
  ],
  ['conversions with one', { ...clicks, goal: 'WEBSITE_CONVERSIONS', primary_web_event_tag: 'o1' }, []],
  [
    'conversions with a tag that the account does not have',
    { ...clicks, goal: 'WEBSITE_CONVERSIONS', primary_web_event_tag: 'o9' },
    ['WEB_EVENT_TAG_NOT_FOUND primary_web_event_tag'],
  ],
  ['the highest bid for reach', { ...reach, bid_strategy: 'MAX', [BID]: 10_000 }, ['INVALID_PARAMETER bid_strategy']],
  [
    'the highest bid for followers',
    { ...followers, bid_strategy: 'MAX', [BID]: 10_000 } as never,
    ['INVALID_PARAMETER bid_strategy'],
  ],
  ['a target for engagements', { bid_strategy: 'TARGET', [BID]: 10_000 }, ['INVALID_PARAMETER bid_strategy']],
  ['a target for clicks', { ...clicks, bid_strategy: 'TARGET', [BID]: 10_000 }, []],
  ['a highest bid that is not named', { bid_strategy: 'MAX' }, [`MISSING_PARAMETER ${BID}`]],
  ['bids by themselves', { bid_strategy: 'AUTO', [BID]: 1 }, []],
  ['a bid between the coins', { [BID]: 10_001 }, [`INVALID_DENOMINATION ${BID}`]],
  [
    'a bid that is too high',
    { [BID]: 1_000_010_000 },
    [`INVALID_PARAMETER ${BID}`],
    { campaign: campaign({ dailyBudgetAmountLocalMicro: 2_000_000_000 }) },
  ],
  ['a bid above the budget', { [BID]: 100_010_000 }, [`INVALID_PARAMETER ${BID}`]],
  ['installs by impression', { ...installs, goal: 'APP_INSTALLS', pay_by: 'IMPRESSION' }, []],
  ['installs by click', { ...installs, goal: 'APP_INSTALLS', pay_by: 'APP_CLICK' }, []],
  ['clicks on apps by impression', { ...installs, pay_by: 'IMPRESSION' }, ['INVALID_PARAMETER pay_by']],
  ['clicks by click', { ...clicks, pay_by: 'LINK_CLICK' }, []],
  ['clicks by impression, as they are anyway', { ...clicks, pay_by: 'IMPRESSION' }, []],
  [
    'a target by impression',
    { ...clicks, bid_strategy: 'TARGET', [BID]: 10_000, pay_by: 'IMPRESSION' },
    ['INVALID_PARAMETER pay_by'],
  ],
  ['visits by click', { ...clicks, goal: 'SITE_VISITS', pay_by: 'LINK_CLICK' }, ['INVALID_PARAMETER pay_by']],
  ['engagements by click', { pay_by: 'LINK_CLICK' }, ['INVALID_PARAMETER pay_by']],
  ['no day budget where it is needed', {}, [`MISSING_PARAMETER ${DAILY}`], ofItems],
  ['a day budget', { [DAILY]: 10_000 }, [], ofItems],
  ['a day budget beside that of the campaign', { [DAILY]: 10_000 }, [`INVALID_PARAMETER ${DAILY}`]],
  ['delivery beside that of the campaign', { standard_delivery: true }, ['INVALID_PARAMETER standard_delivery']],
  ['delivery of its own', { [DAILY]: 10_000, standard_delivery: false }, [], ofItems],
  ['a day above the total', { [DAILY]: 20_000, [TOTAL]: 10_000 }, [`INVALID_PARAMETER ${DAILY}`], ofItems],
  [
    'the total of the campaign',
    { [TOTAL]: 20_000 },
    [],
    { campaign: campaign({ totalBudgetAmountLocalMicro: 20_000 }) },
  ],
  [
    'a total above the campaign',
    { [TOTAL]: 30_000 },
    [`INVALID_PARAMETER ${TOTAL}`],
    { campaign: campaign({ totalBudgetAmountLocalMicro: 20_000 }) },
  ],
  ['no end with a day budget', { end_time: null, [DAILY]: 10_000, [TOTAL]: 90_000 }, [], { ...ofItems, ...LATER }],
  ['no end for a total', { end_time: null, [TOTAL]: 10_000 }, ['MISSING_PARAMETER end_time'], { ...ofItems, ...LATER }],
  ['no end before X allowed it', { end_time: undefined, [DAILY]: 10_000 }, ['MISSING_PARAMETER end_time'], ofItems],
  ['an empty end before X allowed it', { end_time: null, [DAILY]: 10_000 }, ['INVALID_PARAMETER end_time'], ofItems],
  [
    'no end for the total of the campaign',
    { end_time: null },
    ['MISSING_PARAMETER end_time'],
    {
      ...LATER,
      campaign: campaign({ dailyBudgetAmountLocalMicro: null, totalBudgetAmountLocalMicro: 20_000 }),
    },
  ],
  ['a day above that of the campaign', { [DAILY]: 100_010_000 }, [`INVALID_PARAMETER ${DAILY}`], ofItems],
  [
    'a day above the total of the campaign',
    { [DAILY]: 30_000 },
    [`INVALID_PARAMETER ${DAILY}`],
    {
      campaign: campaign({
        budgetOptimization: 'LINE_ITEM',
        dailyBudgetAmountLocalMicro: null,
        totalBudgetAmountLocalMicro: 20_000,
      }),
    },
  ],
  ['a total between the coins', { [TOTAL]: 15_000 }, [`INVALID_DENOMINATION ${TOTAL}`]],
  ['a day between the coins', { [DAILY]: 15_000 }, [`INVALID_DENOMINATION ${DAILY}`], ofItems],
  ['a cap without days', { frequency_cap: 3 }, ['INCLUSIVE_PARAMETERS duration_in_days']],
  ['days without a cap', { duration_in_days: 7 }, ['INCLUSIVE_PARAMETERS frequency_cap']],
  ['a cap', { frequency_cap: 3, duration_in_days: 7 }, []],
  ['a cap on clicks', { ...clicks, frequency_cap: 3, duration_in_days: 7 }, ['INVALID_PARAMETER frequency_cap']],
  [
    'a cap without the feature',
    { frequency_cap: 3, duration_in_days: 7 },
    ['FEATURE_NOT_AVAILABLE frequency_cap'],
    { account: { id: 'a', features: [] } },
  ],
  ['the products of a set', products, []],
  ['products without clicks', { ...products, objective: 'ENGAGEMENTS', goal: undefined, primary_web_event_tag: undefined }, ['INVALID_PARAMETER objective']], // prettier-ignore
  ['products for clicks', { ...products, goal: 'LINK_CLICKS' }, ['INVALID_PARAMETER goal']],
  ['products without a goal', { ...products, goal: undefined }, ['MISSING_PARAMETER goal']],
  ['products as images', { ...products, product_type: 'MEDIA', placements: ['TAP_FULL'] }, ['INVALID_PARAMETER product_type']], // prettier-ignore
  ['products without a catalog', { ...products, catalog_id: undefined }, ['MISSING_PARAMETER catalog_id']],
  ['products without a set', { ...products, product_set_id: undefined }, ['MISSING_PARAMETER product_set_id']],
  ['a catalog without products', { catalog_id: '1' }, ['INVALID_PARAMETER catalog_id']],
  ['a set without products', { product_set_id: '11' }, ['INVALID_PARAMETER product_set_id']],
  ['the catalog of another user', { ...products, catalog_id: '2' }, ['NOT_FOUND catalog_id']],
  ['a set of another catalog', { ...products, product_set_id: '13' }, ['NOT_FOUND product_set_id']],
  ['in the name of the account', { advertiser_user_id: '7' }, []],
  ['in the name of another', { advertiser_user_id: '8' }, ['INVALID_PARAMETER advertiser_user_id']],
];

describe('a new line item', () => {
  // a parameter that a row lacks would be taken for a callback
  it.each(CASES)('%s', (...[, more, expected, surroundings]) => {
    expect(problems(more, surroundings)).toEqual(expected);
  });

  it('has every condition refuse something here', () => {
    const refusing = (condition: (typeof CONDITIONS)[number]) =>
      CASES.some(([, more, , surroundings]) => condition.problem(termsOfNew(params(more)), context(surroundings)));
    const updatesAlone = [`["goal"]`, `["${TOTAL}"]`];
    expect(
      CONDITIONS.filter((each) => !refusing(each))
        .map(({ asks }) => JSON.stringify(asks))
        .filter((asks) => !updatesAlone.includes(asks)),
    ).toEqual([]);
  });

  it('is judged as far as its parameters could be read', () => {
    const parsed = new Parsed<CreateLineItem>(
      { frequency_cap: 3, [BID]: 1 },
      new Set(['objective', 'campaign_id', 'placements', 'product_type', 'start_time', 'end_time']),
    );
    expect(problemsOfNewLineItem(parsed, context()).map(({ code }) => code)).toEqual(['INCLUSIVE_PARAMETERS']);
  });
});

describe('what is meant where nothing is said', () => {
  const made = (more: Partial<CreateLineItem>) =>
    newLineItem(params(more), context() as Required<LineItemContext>, whole);

  it.each([
    ['ENGAGEMENTS', 'ENGAGEMENT', 'MAX', 'ENGAGEMENT'],
    ['WEBSITE_CLICKS', 'LINK_CLICKS', 'MAX', 'IMPRESSION'],
    ['APP_INSTALLS', 'APP_CLICKS', 'MAX', 'APP_CLICK'],
    ['APP_ENGAGEMENTS', 'APP_CLICKS', 'MAX', 'APP_CLICK'],
    ['FOLLOWERS', 'FOLLOWERS', 'TARGET', 'FOLLOW'],
    ['REACH', 'MAX_REACH', 'TARGET', 'IMPRESSION'],
    ['VIDEO_VIEWS', 'VIDEO_VIEW', 'MAX', 'VIEW'],
    ['PREROLL_VIEWS', 'VIEW_3S_100PCT', 'MAX', 'VIEW'],
  ] as const)('%s: %s, %s with a bid, paid by %s', (objective: Objective, goal, strategy, payBy) => {
    const more = {
      objective,
      product_type: TERMS[objective].products[0],
      ios_app_store_identifier: '123',
      categories: ['IAB3'],
    };
    expect(made({ ...more, [BID]: 20_000 })).toMatchObject({
      goal,
      bidStrategy: strategy,
      payBy,
      bidAmountLocalMicro: 20_000,
    });
    expect(made(more)).toMatchObject({ goal, bidStrategy: 'AUTO', payBy, bidAmountLocalMicro: null });
  });

  it('ignores a bid where it is AUTO, and pays a target by click', () => {
    expect(made({ bid_strategy: 'AUTO', [BID]: 20_000 }).bidAmountLocalMicro).toBeNull();
    expect(made({ ...clicks, bid_strategy: 'TARGET', [BID]: 20_000 }).payBy).toBe('LINK_CLICK');
  });

  it('knows what every goal of every objective is paid by', () => {
    for (const objective of OBJECTIVES)
      for (const goal of TERMS[objective].goals)
        expect([goal, TERMS[objective].payment[goal]]).toEqual([goal, expect.anything()]);
    expect(new Set(OBJECTIVES.flatMap((objective) => TERMS[objective].goals))).toEqual(new Set(GOALS));
  });
});

describe('an update', () => {
  const item = (more: Partial<CreateLineItem> = {}, stored: Partial<Row<LineItem>> = {}) =>
    ({
      id: 'l1',
      ...newLineItem(params(more), context() as Required<LineItemContext>, whole),
      ...stored,
    }) as Row<LineItem>;
  const refused = (before: Row<LineItem>, sent: UpdateLineItem) =>
    problemsOfLineItemPatch(Parsed.complete(sent), context(), before).map(
      ({ code, detail }) => `${code} ${detail.parameter}`,
    );

  it.each([
    ['campaign_id', 'c2'],
    ['objective', 'REACH'],
    ['product_type', 'MEDIA'],
    ['placements', ['PLATFORM_TIMELINE']],
    ['primary_web_event_tag', 'o1'],
    ['standard_delivery', false],
  ])('does not change %s, and takes it as it is', (name, value) => {
    expect(refused(item(), { [name]: value })).toEqual([`INVALID_PARAMETER ${name}`]);
    const same = {
      campaign_id: 'c1',
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_POSTS',
      placements: ['ALL_ON_PLATFORM'],
      primary_web_event_tag: null,
      standard_delivery: null,
    }[name];
    expect(refused(item(), { [name]: same })).toEqual([]);
  });

  it('judges what becomes of it', () => {
    const before = item({ placements: ['PUBLISHER_NETWORK'], advertiser_domain: 'example.com', categories: ['IAB3'] });
    expect(refused(before, { categories: null })).toEqual(['INVALID_PARAMETER categories']);
    expect(refused(before, { advertiser_domain: null })).toEqual(['MISSING_PARAMETER advertiser_domain']);
    expect(refused(item(), { end_time: '2026-06-01T12:00:00Z' })).toEqual(['INVALID_TIME_WINDOW end_time']);
    expect(refused(item({ [BID]: 20_000 }), { [BID]: null })).toEqual([`MISSING_PARAMETER ${BID}`]);
    expect(refused(item(clicks), { goal: 'SITE_VISITS' })).toEqual(['INVALID_PARAMETER goal']);
    expect(refused(item({}, { spentLocalMicro: 50_000 }), { [TOTAL]: 40_000 })).toEqual([
      `SPEND_EXCEEDS_BUDGET ${TOTAL}`,
    ]);
    expect(refused(item(), { entity_status: 'DRAFT' } as never)).toEqual(['INVALID_PARAMETER entity_status']);
    expect(refused(item({ name: 'One' }), { name: null })).toEqual(['INVALID_PARAMETER name']);
  });

  it('never refuses what is stored already', () => {
    const before = item({ ...clicks, goal: 'SITE_VISITS' }, { entityStatus: 'DRAFT', advertiserUserId: '9' });
    expect(
      refused(before, {
        goal: 'SITE_VISITS',
        pay_by: 'IMPRESSION',
        entity_status: 'DRAFT',
        advertiser_user_id: '9',
        name: null,
      } as never),
    ).toEqual([]);
  });

  it('sets the tag that a goal needs together with it, once', () => {
    const sent = { goal: 'WEBSITE_CONVERSIONS', primary_web_event_tag: 'o1' } as const;
    const before = item(clicks);
    expect(refused(before, sent)).toEqual([]);
    const after = patchOfLineItem(sent, context(), before, whole);
    expect(after).toMatchObject({ goal: 'WEBSITE_CONVERSIONS', primaryWebEventTag: 'o1' });
    const tagged = { ...before, goal: after.goal!, primaryWebEventTag: 'o1' };
    expect(refused(tagged, { primary_web_event_tag: 'o2' })).toEqual(['INVALID_PARAMETER primary_web_event_tag']);
    expect(refused(tagged, { ...sent, primary_web_event_tag: 'o2' })).toEqual([
      'INVALID_PARAMETER primary_web_event_tag',
    ]);
    expect(refused(before, { primary_web_event_tag: 'o1' })).toEqual(['INVALID_PARAMETER primary_web_event_tag']);
    expect(refused(before, { ...sent, primary_web_event_tag: 'o9' })).toEqual([
      'WEB_EVENT_TAG_NOT_FOUND primary_web_event_tag',
    ]);
    expect(refused({ ...tagged, primaryWebEventTag: 'o9' }, { primary_web_event_tag: 'o9' })).toEqual([]);
    expect(refused(before, { goal: 'WEBSITE_CONVERSIONS' })).toEqual(['MISSING_PARAMETER primary_web_event_tag']);
  });

  it('pays by what the new goal is paid by', () => {
    expect(patchOfLineItem({ goal: 'APP_PURCHASES' }, context(), item(installs), whole)).toMatchObject({
      payBy: 'IMPRESSION',
    });
    expect(patchOfLineItem({ name: 'Two' }, context(), item({ ...clicks, pay_by: 'LINK_CLICK' }), whole)).toMatchObject(
      {
        payBy: 'LINK_CLICK',
      },
    );
  });

  it('counts as active while it runs and is not paused', () => {
    const running = item();
    expect(patchOfLineItem({ entity_status: 'PAUSED' }, context(), running, whole).counted).toBe(false);
    expect(
      patchOfLineItem(
        { start_time: '2026-05-01T00:00:00Z', end_time: '2026-05-02T00:00:00Z' },
        context(),
        running,
        whole,
      ).counted,
    ).toBe(false);
    expect(patchOfLineItem({ name: 'Two' }, context(), running, whole).counted).toBe(true);
  });
});
