import type { StatisticsEntity } from '../../statistics/account-statistics/metrics.js';
import type { Item } from '../inside/inside-api.js';

/** A kind of resource of an account: how the API lists it, and what the pages show of it. */
export interface Kind {
  /** The path of its list below the account. */
  path: string;
  title: string;
  one: string;
  /** The parameter of the list that takes ids. */
  ids: string;
  /** The parameter of the list that takes the beginning of a name. */
  search?: string;
  /** Parameters that every list has. */
  always?: Record<string, string>;
  /** The parameter without which there is no list. */
  needs?: string;
  /** The request that creates one: its path if it is not that of the list, and parameters besides the parent. */
  creation?: { path?: string; params: readonly string[] };
  /** True if only the list returns it. */
  isOnlyListed?: boolean;
  /** The kinds below it. The parameter `by` of their lists takes its id. */
  children: readonly { path: string; by: string }[];
  name: (item: Item) => unknown;
  /** Fields that are shown as they are. */
  fields: readonly string[];
  statistics?: StatisticsEntity;
  /** Its type in the history. */
  history?: string;
  /** True if its ids have only digits. */
  hasNumericIds?: boolean;
  /** The field with the id of the post that it shows. */
  post?: string;
}

/** The kinds, from the root of the tree to its leaves, and then what accounts have besides. */
export const KINDS: readonly Kind[] = [
  {
    path: 'funding_instruments',
    title: 'Funding instruments',
    one: 'funding instrument',
    creation: { params: ['type=CREDIT_CARD', 'currency=USD'] },
    ids: 'funding_instrument_ids',
    children: [{ path: 'campaigns', by: 'funding_instrument_ids' }],
    name: ({ description, type }) => description ?? type,
    fields: ['type', 'io_header'],
    statistics: 'FUNDING_INSTRUMENT',
  },
  {
    path: 'campaigns',
    title: 'Campaigns',
    one: 'campaign',
    creation: {
      params: [
        'name=Autumn',
        'funding_instrument_id={funding_instrument_id}',
        'daily_budget_amount_local_micro=10000000',
      ],
    },
    ids: 'campaign_ids',
    search: 'q',
    always: { with_draft: 'true' },
    children: [{ path: 'line_items', by: 'campaign_ids' }],
    name: ({ name }) => name,
    fields: ['budget_optimization', 'purchase_order_number'],
    statistics: 'CAMPAIGN',
    history: 'CAMPAIGN',
  },
  {
    path: 'line_items',
    title: 'Line items',
    one: 'line item',
    creation: {
      params: [
        'campaign_id=:campaign_id',
        'objective=ENGAGEMENTS',
        'product_type=PROMOTED_POSTS',
        'placements=ALL_ON_PLATFORM',
        'bid_strategy=AUTO',
        'start_time=2026-01-01T00:00:00Z',
        'end_time=2036-01-01T00:00:00Z',
      ],
    },
    ids: 'line_item_ids',
    search: 'q',
    always: { with_draft: 'true' },
    children: [
      { path: 'promoted_posts', by: 'line_item_ids' },
      { path: 'promoted_accounts', by: 'line_item_ids' },
      { path: 'media_creatives', by: 'line_item_ids' },
      { path: 'targeting_criteria', by: 'line_item_ids' },
    ],
    name: ({ name, objective }) => name ?? objective,
    fields: ['objective', 'product_type', 'placements', 'bid_strategy'],
    statistics: 'LINE_ITEM',
    history: 'LINE_ITEM',
  },
  {
    path: 'promoted_posts',
    title: 'Promoted posts',
    one: 'promoted post',
    creation: { params: ['line_item_id=:line_item_id', 'post_ids=:post_id'] },
    ids: 'promoted_post_ids',
    children: [],
    name: ({ post_id }) => `Post ${String(post_id)}`,
    fields: ['line_item_id'],
    statistics: 'PROMOTED_POST',
    history: 'PROMOTED_POST',
    post: 'post_id',
  },
  {
    path: 'promoted_accounts',
    title: 'Promoted accounts',
    one: 'promoted account',
    creation: { params: ['line_item_id=:line_item_id', 'user_id=:user_id'] },
    ids: 'promoted_account_ids',
    children: [],
    name: ({ user_id }) => `User ${String(user_id)}`,
    fields: ['line_item_id'],
    statistics: 'PROMOTED_ACCOUNT',
    history: 'PROMOTED_ACCOUNT',
  },
  {
    path: 'media_creatives',
    title: 'Media creatives',
    one: 'media creative',
    creation: { params: ['line_item_id=:line_item_id', 'account_media_id=:account_media_id'] },
    ids: 'media_creative_ids',
    children: [],
    name: ({ creative_type }) => creative_type,
    fields: ['line_item_id', 'account_media_id', 'landing_url'],
    statistics: 'MEDIA_CREATIVE',
  },
  {
    path: 'targeting_criteria',
    title: 'Targeting',
    one: 'targeting criterion',
    creation: { params: ['line_item_id=:line_item_id', 'targeting_type=LANGUAGE', 'targeting_value=en'] },
    ids: 'targeting_criterion_ids',
    needs: 'line_item_ids',
    children: [],
    name: ({ name, targeting_value }) => name ?? targeting_value,
    fields: ['targeting_type', 'operator_type', 'targeting_value'],
    history: 'TARGETING_CRITERIA',
  },
  {
    path: 'custom_audiences',
    title: 'Audiences',
    one: 'audience',
    creation: { params: ['name=Customers'] },
    ids: 'custom_audience_ids',
    search: 'q',
    children: [],
    name: ({ name }) => name,
    fields: ['audience_size', 'audience_type', 'targetable_types'],
  },
  {
    path: 'posts',
    title: 'Posts',
    one: 'post',
    creation: { path: 'post', params: ['as_user_id=:user_id', 'text=Hello'] },
    ids: 'post_ids',
    hasNumericIds: true,
    search: 'name',
    always: { post_type: 'PUBLISHED', timeline_type: 'ALL' },
    isOnlyListed: true,
    children: [],
    name: ({ name, full_text }) => name ?? full_text,
    fields: ['created_at', 'card_uri'],
    post: 'id_str',
  },
  {
    path: 'cards',
    title: 'Cards',
    one: 'card',
    ids: 'card_id',
    hasNumericIds: true,
    search: 'q',
    children: [],
    name: ({ name }) => name,
    fields: ['card_type', 'card_uri'],
  },
];

export const kindOf = (path: string): Kind | undefined => KINDS.find((each) => each.path === path);

/** Parameters of lists that name a parent. */
export const PARENTS = [...new Set(KINDS.flatMap(({ children }) => children.map(({ by }) => by)))];
