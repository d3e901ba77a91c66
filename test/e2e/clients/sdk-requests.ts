/**
 * What the official Ads SDKs for Python and Ruby send, and what they read from the responses: facts from their sources
 * (both end at version 11), in X's words. They differ in how they write a value and in how they sign.
 */

export type Sdk = 'python' | 'ruby';
type Value = string | number | boolean | null | string[];
type Values = Record<string, Value | undefined>;

/** What the service answered so far: the object of each class, beside the ids of the demo. */
export interface Made {
  demo: Record<string, string>;
  objects: Record<string, Values>;
}

export interface Asked {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the version, or a whole URL. */
  path: string;
  params?: Values;
  /** Sent as JSON. */
  json?: unknown;
  /** The bytes of the part `media` of a form. */
  file?: Buffer;
}

/** One call of an SDK. */
export interface Call {
  name: string;
  only?: Sdk;
  ask: (made: Made, sdk: Sdk) => Asked;
  /** Keys of the object in `data`, or of the first one in it. */
  reads?: string[];
  /** The class whose object the response is from now on. */
  keeps?: string;
  /** The object is the response itself. */
  isBare?: true;
}

/** A class whose objects have a collection. */
interface Resource {
  name: string;
  only?: Sdk;
  /** Its collection, below the version. */
  path: string;
  key?: string;
  /** Fields that an object has, which an update sends back; `?` stands behind those that may be absent. */
  fields: string;
  /** Without it, an object of the demo is read. */
  create?: (made: Made) => Values;
  demo?: string;
  update?: Values;
  /** No object has a URL of its own. */
  isOnlyList?: true;
  /** Parameters of a list. */
  list?: (made: Made) => Values;
}

const COMMON = 'created_at updated_at deleted id';
const CONVERSATION =
  'card_uri card_type name title first_cta first_cta_tweet second_cta second_cta_tweet third_cta? third_cta_tweet? thank_you_text thank_you_url?';

/** A time as both write it. */
const inDays = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`;

const conversation = (media_key: string): Values => ({
  name: 'Coffee or tea',
  title: 'Which one?',
  first_cta: '#coffee',
  first_cta_tweet: 'Coffee & cake, please (now)! #coffee',
  second_cta: '#tea',
  second_cta_tweet: 'Tea, please #tea',
  thank_you_text: "Thanks, that's it",
  media_key,
});

const RESOURCES: Resource[] = [
  {
    name: 'FundingInstrument',
    path: 'accounts/:account_id/funding_instruments',
    fields: `${COMMON} credit_limit_local_micro currency description funded_amount_local_micro type able_to_fund entity_status io_header reasons_not_able_to_fund start_time end_time credit_remaining_local_micro`,
    demo: 'funding_instrument_id',
  },
  {
    name: 'PromotableUser',
    path: 'accounts/:account_id/promotable_users',
    fields: `${COMMON} promotable_user_type user_id`,
    demo: 'promotable_user_id',
  },
  {
    name: 'Campaign',
    path: 'accounts/:account_id/campaigns',
    fields: `${COMMON} currency reasons_not_servable servable daily_budget_amount_local_micro duration_in_days entity_status frequency_cap funding_instrument_id name standard_delivery total_budget_amount_local_micro`,
    create: ({ demo }) => ({
      name: "Autumn's best: 50 % off!",
      funding_instrument_id: demo.funding_instrument_id,
      daily_budget_amount_local_micro: 5_500_000,
      entity_status: 'PAUSED',
      standard_delivery: true,
    }),
    update: { name: 'Winter (again)' },
  },
  {
    name: 'LineItem',
    path: 'accounts/:account_id/line_items',
    fields: `${COMMON} advertiser_domain advertiser_user_id bid_amount_local_micro campaign_id categories end_time entity_status audience_expansion name objective placements primary_web_event_tag product_type start_time total_budget_amount_local_micro`,
    create: ({ objects }) => ({
      campaign_id: objects.Campaign.id,
      name: 'Readers',
      product_type: 'PROMOTED_TWEETS',
      placements: ['TWITTER_TIMELINE', 'TWITTER_SEARCH'],
      objective: 'ENGAGEMENTS',
      bid_amount_local_micro: 10_000,
      start_time: inDays(1),
      end_time: inDays(30),
      entity_status: 'PAUSED',
    }),
    update: { name: 'Writers', bid_amount_local_micro: 20_000 },
  },
  {
    name: 'TargetingCriteria',
    path: 'accounts/:account_id/targeting_criteria',
    fields: `${COMMON} name localized_name? line_item_id operator_type targeting_type targeting_value`,
    create: ({ objects }) => ({
      line_item_id: objects.LineItem.id,
      targeting_type: 'PHRASE_KEYWORD',
      targeting_value: 'cats & dogs',
    }),
    list: ({ objects }) => ({ line_item_ids: [String(objects.LineItem.id)] }),
  },
  {
    name: 'DraftTweet',
    path: 'accounts/:account_id/draft_tweets',
    fields: `${COMMON} user_id card_uri media_keys nullcast text`,
    create: ({ demo }) => ({ as_user_id: demo.user_id, text: 'A draft', nullcast: true }),
    update: { text: 'Another draft' },
  },
  {
    name: 'ScheduledTweet',
    path: 'accounts/:account_id/scheduled_tweets',
    fields: `${COMMON} completed_at media_keys scheduled_status tweet_id user_id card_uri nullcast scheduled_at text`,
    create: ({ demo }) => ({ as_user_id: demo.user_id, text: 'Next week', nullcast: true, scheduled_at: inDays(7) }),
    update: { text: 'Next week!' },
  },
  {
    name: 'ScheduledPromotedTweet',
    only: 'python',
    path: 'accounts/:account_id/scheduled_promoted_tweets',
    fields: `${COMMON} tweet_id line_item_id scheduled_tweet_id`,
    create: ({ objects }) => ({
      line_item_id: objects.LineItem.id,
      scheduled_tweet_id: objects.ScheduledTweet.id,
    }),
  },
  {
    name: 'AccountMedia',
    path: 'accounts/:account_id/account_media',
    fields: `${COMMON} media_url creative_type`,
    demo: 'account_media_id',
  },
  {
    name: 'MediaCreative',
    path: 'accounts/:account_id/media_creatives',
    fields: `${COMMON} approval_status account_media_id landing_url line_item_id`,
    create: ({ demo }) => ({
      account_media_id: demo.account_media_id,
      line_item_id: demo.spare_preroll_line_item_id,
      landing_url: 'https://example.com/?a=1&b=2',
    }),
  },
  {
    name: 'TrackingTags',
    only: 'python',
    path: 'accounts/:account_id/tracking_tags',
    fields: `${COMMON} line_item_id tracking_tag_type tracking_tag_url`,
    create: ({ objects }) => ({
      line_item_id: objects.LineItem.id,
      tracking_tag_type: 'IMPRESSION_TAG',
      tracking_tag_url: 'https://counter.example/ddm/N1;dc_trk_aid=1;ord=[timestamp]?',
    }),
    update: { tracking_tag_url: 'https://counter.example/ddm/N2;ord=[timestamp]?' },
  },
  {
    name: 'PromotedAccount',
    path: 'accounts/:account_id/promoted_accounts',
    fields: `${COMMON} approval_status entity_status line_item_id user_id`,
    create: ({ demo }) => ({ line_item_id: demo.followers_line_item_id, user_id: demo.user_id }),
  },
  {
    name: 'MediaLibrary',
    path: 'accounts/:account_id/media_library',
    key: 'media_key',
    fields:
      'aspect_ratio? created_at deleted duration? media_status media_type media_url tweeted updated_at media_category media_key description? file_name name title?',
    create: ({ objects }) => ({
      media_key: objects.upload.media_key,
      name: 'A picture',
      media_category: 'TWEET_IMAGE',
    }),
    update: { name: 'Another picture', file_name: 'picture.png' },
  },
  {
    name: 'PollCard',
    path: 'accounts/:account_id/cards/poll',
    fields: `${COMMON} card_type card_uri end_time start_time duration_in_minutes first_choice second_choice third_choice? fourth_choice? name`,
    create: () => ({
      name: 'Taste',
      first_choice: 'Espresso',
      second_choice: 'Filter',
      duration_in_minutes: 1_440,
    }),
  },
  {
    name: 'ImageConversationCard',
    path: 'accounts/:account_id/cards/image_conversation',
    fields: `${COMMON} ${CONVERSATION}`,
    create: ({ demo }) => conversation(demo.media_key_image),
    update: { title: 'Which one today?' },
  },
  {
    name: 'VideoConversationCard',
    path: 'accounts/:account_id/cards/video_conversation',
    fields: `${COMMON} ${CONVERSATION}`,
    create: ({ demo }) => conversation(demo.media_key_video),
    update: { title: 'Which one today?' },
  },
  {
    name: 'CustomAudience',
    path: 'accounts/:account_id/custom_audiences',
    fields: `${COMMON} audience_size audience_type partner_source reasons_not_targetable targetable targetable_types owner_account_id name`,
    create: () => ({ name: 'Readers' }),
  },
  { name: 'ContentCategories', path: 'content_categories', fields: 'id name iab_categories', isOnlyList: true },
  { name: 'IabCategories', path: 'iab_categories', fields: 'id name parent_id', isOnlyList: true },
  {
    name: 'AdvertiserBusinessCategories',
    only: 'ruby',
    path: 'advertiser_business_categories',
    fields: 'id name iab_categories',
    isOnlyList: true,
  },
  {
    name: 'LineItemPlacements',
    path: 'line_items/placements',
    fields: 'product_type placements',
    list: () => ({ product_type: 'PROMOTED_TWEETS' }),
    isOnlyList: true,
  },
  ...[
    'app_store_categories',
    'conversations',
    'devices',
    'events',
    'interests',
    'languages',
    'locations',
    'network_operators',
    'platforms',
    'platform_versions',
    'tv_markets',
    'tv_shows',
  ].map((kind): Resource => ({
    name: `TargetingCriteria.${kind}`,
    path: `targeting_criteria/${kind}`,
    fields: kind === 'tv_markets' ? 'name' : 'name targeting_value',
    list: () => (kind === 'tv_shows' ? { locale: 'en-US' } : kind === 'events' ? { event_types: ['SPORTS'] } : {}),
    isOnlyList: true,
  })),
];

/** What the SDK reads, and what of it every object has. */
const fieldsOf = (resource: Resource) => resource.fields.replaceAll('?', '').split(' ');
const alwaysIn = (resource: Resource) => resource.fields.split(' ').filter((field) => !field.endsWith('?'));
const pathOf = (resource: Resource, made: Made) =>
  `${resource.path}/${String(
    resource.create ? made.objects[resource.name][resource.key ?? 'id'] : made.demo[resource.demo!],
  )}`;

/** What an SDK sends of an object: for an update, all that it read, with the changes. */
function paramsOf(sdk: Sdk, values: Values): Values {
  const written = Object.entries(values).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    // Ruby leaves out what is false and empty lists; Python what is 0
    if (sdk === 'ruby' && (value === false || (Array.isArray(value) && value.length === 0))) return [];
    if (sdk === 'python' && value === 0) return [];
    return [[name, Array.isArray(value) ? value.join(',') : String(value)]];
  });
  return Object.fromEntries(written);
}

/** The object as it was read, restricted to the fields of the class. */
const readBack = (resource: Resource, made: Made): Values =>
  Object.fromEntries(fieldsOf(resource).map((field) => [field, made.objects[resource.name][field]]));

function* callsOf(resource: Resource): Generator<Call> {
  const { name, path, create, update, list } = resource;
  const reads = alwaysIn(resource);
  if (create)
    yield {
      name: `${name}.save`,
      ask: (made, sdk) => ({ method: 'POST', path, params: paramsOf(sdk, create(made)) }),
      reads,
      keeps: name,
    };
  yield {
    name: `${name}.all`,
    ask: (made, sdk) => ({
      method: 'GET',
      path,
      params: { ...paramsOf(sdk, list?.(made) ?? {}), ...(!resource.isOnlyList && { with_deleted: flag(sdk, true) }) },
    }),
    reads,
  };
  if (resource.isOnlyList) return;
  yield { name: `${name}.load`, ask: (made) => ({ method: 'GET', path: pathOf(resource, made) }), reads };
  if (update)
    yield {
      name: `${name}.save, of what was read`,
      ask: (made, sdk) => ({
        method: 'PUT',
        path: pathOf(resource, made),
        params: paramsOf(sdk, { ...readBack(resource, made), ...update }),
      }),
      reads,
      keeps: name,
    };
}

const deletionOf = (resource: Resource): Call => ({
  name: `${resource.name}.delete`,
  ask: (made) => ({ method: 'DELETE', path: pathOf(resource, made) }),
  reads: alwaysIn(resource),
});

/** How an option of a list is written that the caller gave as true. */
const flag = (sdk: Sdk, value: boolean) => (sdk === 'python' ? (value ? 'True' : 'False') : String(value));

const A = 'accounts/:account_id';

/** Calls before all others. */
const FIRST: Call[] = [
  {
    name: 'Account.all',
    ask: (_, sdk) => ({ method: 'GET', path: 'accounts', params: { with_deleted: flag(sdk, true) } }),
    reads: 'id name timezone timezone_switch_at created_at updated_at deleted approval_status'.split(' '),
  },
  {
    name: 'Account.load',
    ask: () => ({ method: 'GET', path: A }),
    reads: 'id name timezone timezone_switch_at created_at updated_at deleted approval_status'.split(' '),
  },
  { name: 'Account.features', ask: () => ({ method: 'GET', path: `${A}/features` }) },
  {
    name: 'Account.authenticated_user_access',
    ask: () => ({ method: 'GET', path: `${A}/authenticated_user_access` }),
    reads: ['user_id', 'permissions'],
  },
];

const hashed = '49e0be2aeccfb51a8dee4c945c8a70a9ac500cf6f5cb08112575f74db9b1470d';

/** What the SDKs ask statistics for: ids with commas, all that is not given left out. */
const statisticsOf = ({ demo }: Made): Values => ({
  entity: 'LINE_ITEM',
  entity_ids: demo.line_item_id,
  metric_groups: 'ENGAGEMENT,BILLING',
  granularity: 'HOUR',
  placement: 'ALL_ON_TWITTER',
  start_time: '2026-03-01T05:00:00Z',
  end_time: '2026-03-08T05:00:00Z',
});

/** A time as an SDK writes it for whole days: Python a date, Ruby midnight with the offset that the caller names. */
const day = (sdk: Sdk, date: string) => (sdk === 'python' ? date : `${date}T00:00:00-08:00`);

/** The classes that have statistics, and an object of each. */
const COUNTED: [name: string, entity: string, id: (made: Made) => Value, groups: string][] = [
  ['Campaign', 'CAMPAIGN', ({ demo }) => demo.campaign_id, 'ENGAGEMENT,BILLING,VIDEO,MEDIA,WEB_CONVERSION'],
  ['FundingInstrument', 'FUNDING_INSTRUMENT', ({ demo }) => demo.funding_instrument_id, 'ENGAGEMENT,BILLING'],
  ['MediaCreative', 'MEDIA_CREATIVE', ({ objects }) => objects.MediaCreative.id!, 'ENGAGEMENT,BILLING,VIDEO'],
  ['PromotedAccount', 'PROMOTED_ACCOUNT', ({ objects }) => objects.PromotedAccount.id!, 'ENGAGEMENT,BILLING'],
  ['PromotedTweet', 'PROMOTED_TWEET', ({ objects }) => objects.PromotedTweet.id!, 'ENGAGEMENT,BILLING'],
  ['OrganicTweet', 'ORGANIC_TWEET', ({ objects }) => objects.Tweet.id_str!, 'ENGAGEMENT,VIDEO'],
];

/** What is asked of these classes while their objects exist. */
const STATISTICS: Call[] = [
  ...COUNTED.map(([name, entity, id, metric_groups]): Call => ({
    name: `${name}.all_stats, by day`,
    ask: (made, sdk) => ({
      method: 'GET',
      path: 'stats/accounts/:account_id',
      params: {
        ...statisticsOf(made),
        ...{ entity, entity_ids: id(made), metric_groups, granularity: 'DAY' },
        ...{ start_time: day(sdk, '2026-03-01'), end_time: day(sdk, '2026-03-08') },
      },
    }),
    reads: ['id', 'id_data'],
  })),
  ...['CAMPAIGN', 'LINE_ITEM', 'PROMOTED_TWEET'].map((entity): Call => ({
    name: `active_entities of ${entity}`,
    ask: ({ demo }, sdk) => ({
      method: 'GET',
      path: 'stats/accounts/:account_id/active_entities',
      params: {
        ...{ entity, start_time: day(sdk, '2026-03-01'), end_time: day(sdk, '2026-03-02') },
        line_item_ids: demo.line_item_id,
        ...(sdk === 'ruby' && { granularity: 'day', utc_offset: '-08:00' }),
      },
    }),
  })),
  {
    name: 'LineItem.queue_async_stats_job, of a country',
    ask: (made) => ({
      method: 'POST',
      path: 'stats/jobs/accounts/:account_id',
      params: { ...statisticsOf(made), segmentation_type: 'METROS', country: '96683cc9126741d1' },
    }),
    reads: ['id_str', 'country', 'segmentation_type'],
  },
];

/** Calls of classes that have no such collection, after the objects exist. */
const OTHERS: Call[] = [
  {
    name: 'LineItem.all_stats',
    ask: (made) => ({ method: 'GET', path: 'stats/accounts/:account_id', params: statisticsOf(made) }),
    reads: ['id', 'id_data'],
  },
  {
    name: 'LineItem.queue_async_stats_job',
    ask: (made) => ({
      method: 'POST',
      path: 'stats/jobs/accounts/:account_id',
      params: { ...statisticsOf(made), segmentation_type: 'PLATFORMS' },
    }),
    reads:
      'id id_str status url created_at expires_at updated_at start_time end_time entity entity_ids granularity placement metric_groups segmentation_type country platform account_id'.split(
        ' ',
      ),
    keeps: 'StatsJob',
  },
  {
    name: 'LineItem.async_stats_job_result',
    ask: ({ objects }) => ({
      method: 'GET',
      path: 'stats/jobs/accounts/:account_id',
      params: { job_ids: String(objects.StatsJob.id) },
    }),
    reads: ['id', 'status', 'url'],
  },
  {
    name: 'Tweet.create',
    ask: ({ demo }, sdk) => ({
      method: 'POST',
      path: `${A}/tweet`,
      params: paramsOf(sdk, { text: `Hello (${sdk})! *`, as_user_id: demo.user_id, nullcast: true, trim_user: true }),
    }),
    reads: ['id', 'id_str', 'text', 'user', 'created_at'],
    keeps: 'Tweet',
  },
  {
    name: 'Tweets.all',
    ask: ({ objects }) => ({
      method: 'GET',
      path: `${A}/tweets`,
      params: { tweet_type: 'PUBLISHED', tweet_ids: String(objects.Tweet.id_str) },
    }),
    reads: ['id', 'tweet_id', 'tweet_type', 'user'],
  },
  {
    name: 'TweetPreview.load',
    ask: ({ objects }) => ({
      method: 'GET',
      path: `${A}/tweet_previews`,
      params: { tweet_ids: String(objects.Tweet.id_str), tweet_type: 'PUBLISHED' },
    }),
    reads: ['tweet_id', 'preview'],
  },
  {
    name: 'PromotedTweet.save',
    ask: ({ objects }) => ({
      method: 'POST',
      path: `${A}/promoted_tweets`,
      // the only list that is sent as a repeated parameter
      params: { line_item_id: objects.LineItem.id, tweet_ids: [String(objects.Tweet.id_str)] },
    }),
    reads: `${COMMON} approval_status entity_status line_item_id tweet_id`.split(' '),
    keeps: 'PromotedTweet',
  },
  {
    name: 'PromotedTweet.all',
    ask: ({ objects }) => ({
      method: 'GET',
      path: `${A}/promoted_tweets`,
      params: { line_item_ids: String(objects.LineItem.id) },
    }),
    reads: ['id', 'tweet_id', 'line_item_id'],
  },
  {
    name: 'PromotedTweet.load',
    ask: ({ objects }) => ({ method: 'GET', path: `${A}/promoted_tweets/${String(objects.PromotedTweet.id)}` }),
    reads: ['id', 'tweet_id', 'line_item_id'],
  },
  ...STATISTICS,
  {
    name: 'PromotedTweet.delete',
    ask: ({ objects }) => ({ method: 'DELETE', path: `${A}/promoted_tweets/${String(objects.PromotedTweet.id)}` }),
    reads: ['id', 'deleted'],
  },
  {
    name: 'DraftTweet.preview',
    ask: ({ objects }) => ({ method: 'POST', path: `${A}/draft_tweets/preview/${String(objects.DraftTweet.id)}` }),
  },
  {
    name: 'CardsFetch.load, by URI',
    ask: ({ objects }) => ({
      method: 'GET',
      path: `${A}/cards/all`,
      params: { card_uris: String(objects.ImageConversationCard.card_uri), with_deleted: 'true' },
    }),
    reads: ['id', 'card_uri', 'card_type', 'first_cta_tweet'],
  },
  {
    name: 'CardsFetch.load, by id',
    ask: ({ objects }) => ({
      method: 'GET',
      path: `${A}/cards/all/${String(objects.PollCard.id)}`,
      params: { card_id: String(objects.PollCard.id) },
    }),
    reads: ['id', 'card_uri', 'first_choice'],
  },
  {
    name: 'Card.save',
    ask: ({ demo }) => ({
      method: 'POST',
      path: `${A}/cards`,
      json: {
        name: 'Menu',
        components: [
          { type: 'MEDIA', media_key: demo.media_key_image },
          { type: 'DETAILS', title: 'Soups', destination: { type: 'WEBSITE', url: 'https://example.com/menu' } },
        ],
      },
    }),
    reads: `${COMMON} card_type card_uri name components`.split(' '),
    keeps: 'Card',
  },
  {
    name: 'Card.save, of what was read',
    ask: ({ objects }) => ({
      method: 'PUT',
      path: `${A}/cards/${String(objects.Card.id)}`,
      json: { name: 'Menu of today', components: objects.Card.components },
    }),
    reads: ['id', 'name', 'components'],
  },
  {
    name: 'Card.all',
    ask: ({ objects }) => ({ method: 'GET', path: `${A}/cards`, params: { card_ids: String(objects.Card.id) } }),
    reads: ['id', 'components'],
  },
  {
    name: 'Card.load',
    ask: ({ objects }) => ({ method: 'GET', path: `${A}/cards/${String(objects.Card.id)}` }),
    reads: ['id', 'components'],
  },
  {
    name: 'Card.delete',
    ask: ({ objects }) => ({ method: 'DELETE', path: `${A}/cards/${String(objects.Card.id)}` }),
    reads: ['id', 'deleted'],
  },
  {
    name: 'CustomAudience.users',
    ask: ({ objects }) => ({
      method: 'POST',
      path: `${A}/custom_audiences/${String(objects.CustomAudience.id)}/users`,
      json: [
        {
          operation_type: 'Update',
          params: {
            effective_at: inDays(-1),
            expires_at: inDays(100),
            users: [{ email: [hashed], twitter_id: [hashed] }],
          },
        },
      ],
    }),
    reads: ['success_count', 'total_count'],
  },
  {
    name: 'CustomAudience.targeted',
    ask: ({ demo }, sdk) => ({
      method: 'GET',
      path: `${A}/custom_audiences/${demo.custom_audience_id}/targeted`,
      params: { with_active: flag(sdk, false) },
    }),
    reads: ['campaign_id', 'campaign_name', 'line_items'],
  },
  {
    name: 'CustomAudiencePermission.save',
    ask: ({ demo, objects }, sdk) => ({
      method: 'POST',
      path: `${A}/custom_audiences/${String(objects.CustomAudience.id)}/permissions`,
      params: paramsOf(sdk, {
        custom_audience_id: objects.CustomAudience.id,
        granted_account_id: demo.second_account_id,
        permission_level: 'READ_ONLY',
      }),
    }),
    reads: `${COMMON} custom_audience_id granted_account_id permission_level`.split(' '),
    keeps: 'CustomAudiencePermission',
  },
  {
    name: 'CustomAudiencePermission.all',
    ask: ({ objects }) => ({
      method: 'GET',
      path: `${A}/custom_audiences/${String(objects.CustomAudience.id)}/permissions`,
    }),
    reads: ['id', 'granted_account_id', 'permission_level'],
  },
  {
    name: 'CustomAudiencePermission.delete',
    ask: ({ objects }) => ({
      method: 'DELETE',
      path: `${A}/custom_audiences/${String(objects.CustomAudience.id)}/permissions/${String(objects.CustomAudiencePermission.id)}`,
    }),
    reads: ['id', 'deleted'],
  },
  {
    name: 'AudienceEstimate.load',
    ask: () => ({
      method: 'POST',
      path: `${A}/audience_estimate`,
      json: {
        targeting_criteria: [
          { targeting_type: 'LOCATION', targeting_value: '96683cc9126741d1' },
          { targeting_type: 'BROAD_KEYWORD', targeting_value: 'coffee' },
        ],
      },
    }),
    reads: ['audience_size'],
  },
];

/** SDKs of version 5 share tailored audiences. */
const tailored = ({ demo }: Made) =>
  `https://ads-api.twitter.com/5/accounts/${demo.account_id}/tailored_audiences/${demo.tailored_audience_id}/permissions`;

const SANDBOX = 'https://ads-api-sandbox.twitter.com/11/accounts';

/** What is sent to the other host, and what happens once. */
const LAST: Call[] = [
  { name: 'Account.all, in the sandbox', ask: () => ({ method: 'GET', path: SANDBOX }), reads: ['id', 'name'] },
  {
    name: 'FundingInstrument.save, in the sandbox',
    ask: ({ demo }, sdk) => ({
      method: 'POST',
      path: `${SANDBOX}/${demo.sandbox_account_id}/funding_instruments`,
      params: paramsOf(sdk, {
        currency: 'USD',
        type: 'CREDIT_LINE',
        start_time: inDays(-1),
        credit_limit_local_micro: 25_000_000_000,
      }),
    }),
    reads: ['id', 'type', 'credit_limit_local_micro'],
  },
  {
    name: 'TailoredAudiencePermission.save',
    ask: (made, sdk) => ({
      method: 'POST',
      path: tailored(made),
      params: paramsOf(sdk, {
        tailored_audience_id: made.demo.tailored_audience_id,
        granted_account_id: made.demo.second_account_id,
        permission_level: 'READ_ONLY',
      }),
    }),
    reads: `${COMMON} tailored_audience_id granted_account_id permission_level`.split(' '),
    keeps: 'TailoredAudiencePermission',
  },
  {
    name: 'TailoredAudiencePermission.all',
    ask: (made) => ({ method: 'GET', path: tailored(made) }),
    reads: ['id', 'granted_account_id', 'permission_level'],
  },
  {
    name: 'TailoredAudiencePermission.delete',
    ask: (made) => ({
      method: 'DELETE',
      path: `${tailored(made)}/${String(made.objects.TailoredAudiencePermission.id)}`,
    }),
    reads: ['id', 'deleted'],
  },
  {
    name: 'AccountMedia.delete',
    only: 'python',
    ask: ({ demo }) => ({ method: 'DELETE', path: `${A}/account_media/${demo.spare_account_media_id}` }),
    reads: ['id', 'deleted'],
  },
];

/** Collections that singer-io's tap reads with the SDK for Python, each with these parameters. */
const PAGE = { count: 1_000 };
const NEWEST = { ...PAGE, sort_by: 'updated_at-desc', with_deleted: 'true' };
/** Midnight as Python writes it with `%z`. */
const LOCAL_DAYS = { start_time: '2026-02-01T00:00:00-0800', end_time: '2026-03-02T00:00:00-0800' };
const TAPPED: [path: string, params: Values | ((made: Made) => Values)][] = [
  ['accounts', ({ demo }) => ({ ...NEWEST, account_ids: demo.account_id })],
  ...[
    ...['account_media', 'campaigns', 'cards/image_conversation', 'cards/poll', 'cards/video_conversation'],
    ...['custom_audiences', 'funding_instruments', 'line_items', 'media_creatives', 'preroll_call_to_actions'],
    ...['promotable_users', 'promoted_accounts', 'promoted_tweets', 'scheduled_promoted_tweets', 'tracking_tags'],
  ].map((name): [string, Values] => [`${A}/${name}`, NEWEST]),
  [`${A}/cards`, { ...NEWEST, count: 200, include_legacy_cards: 'true' }],
  [`${A}/targeting_criteria`, ({ demo }) => ({ ...PAGE, line_item_ids: demo.line_item_id, with_deleted: 'true' })],
  ...['PUBLISHED', 'SCHEDULED'].map((tweet_type): [string, Values] => [
    `${A}/tweets`,
    { ...PAGE, tweet_type, timeline_type: 'ALL', sort_by: 'created_at-desc', with_deleted: 'true' },
  ]),
  [
    `${A}/tweets`,
    { ...PAGE, tweet_type: 'PUBLISHED', timeline_type: 'ORGANIC', with_deleted: 'false', trim_user: 'true' },
  ],
  ['stats/accounts/:account_id/active_entities', { entity: 'LINE_ITEM', ...LOCAL_DAYS }],
  ['advertiser_business_categories', {}],
  ['bidding_rules', {}],
  ['content_categories', PAGE],
  ['iab_categories', PAGE],
  ...['app_store_categories', 'platform_versions', 'tv_markets'].map((name): [string, Values] => [
    `targeting_criteria/${name}`,
    {},
  ]),
  ...['conversations', 'devices', 'interests', 'languages', 'platforms'].map((name): [string, Values] => [
    `targeting_criteria/${name}`,
    PAGE,
  ]),
  ...['locations', 'network_operators'].map((name): [string, Values] => [
    `targeting_criteria/${name}`,
    { ...PAGE, country_code: 'US' },
  ]),
  ['targeting_criteria/locations', { ...PAGE, location_type: 'COUNTRIES', country_code: 'US' }],
  ['targeting_criteria/tv_shows', { locale: 'en-US', count: 50 }],
  [
    'targeting_criteria/events',
    {
      ...PAGE,
      start_time: '2026-01-01T00:00:00Z',
      country_codes: 'US,CA',
      event_types: 'CONFERENCE,HOLIDAY,MUSIC_AND_ENTERTAINMENT,OTHER,POLITICS,RECURRING,SPORTS',
    },
  ],
];
const TAP: Call[] = [
  ...TAPPED.map(([path, params], i): Call => ({
    name: `tap-twitter-ads, ${path} (${i + 1})`,
    only: 'python',
    ask: (made) => ({ method: 'GET', path, params: typeof params === 'function' ? params(made) : params }),
  })),
  ...['LOCATIONS', 'METROS', 'REGIONS', 'AGE'].map((segmentation_type): Call => ({
    name: `tap-twitter-ads, a report by ${segmentation_type}`,
    only: 'python',
    ask: (made) => ({
      method: 'POST',
      path: 'stats/jobs/accounts/:account_id',
      params: {
        ...statisticsOf(made),
        ...LOCAL_DAYS,
        granularity: 'DAY',
        metric_groups:
          'ENGAGEMENT,BILLING,VIDEO,MEDIA,WEB_CONVERSION,MOBILE_CONVERSION,LIFE_TIME_VALUE_MOBILE_CONVERSION',
        segmentation_type,
        ...(segmentation_type !== 'AGE' && { country: '96683cc9126741d1' }),
      },
    }),
    reads: ['id_str', 'status', 'country'],
  })),
];

/** Creates, changes and deletes one object of a class in three requests, with all that was read. */
function* batchOf(name: string, entity: string, path: string, change: Values, copy: (made: Made) => Values) {
  const resource = RESOURCES.find((each) => each.name === name)!;
  const batch = (operation_type: string, values: (made: Made) => Values) => (made: Made, sdk: Sdk) => ({
    method: 'POST' as const,
    path: `batch/${A}/${path}`,
    json: [{ operation_type, params: paramsOf(sdk, values(made)) }],
  });
  const read = (made: Made): Values => {
    const object = made.objects[`batched ${name}`];
    const fields = fieldsOf(resource).map((field): [string, Value | undefined] => [field, object[field]]);
    return { ...Object.fromEntries(fields), [`${entity}_id`]: object.id };
  };
  const reads = alwaysIn(resource);
  const keeps = `batched ${name}`;
  yield { name: `${name}.batch_save, new`, ask: batch('Create', copy), reads, keeps };
  if (Object.keys(change).length > 0)
    yield {
      name: `${name}.batch_save, changed`,
      ask: batch('Update', (made) => ({ ...read(made), ...change })),
      reads,
    };
  yield {
    name: `${name}.batch_save, to be deleted`,
    ask: batch('Delete', (made) => ({ ...read(made), to_delete: true })),
    reads,
  };
}

const BATCHES: Call[] = [
  ...batchOf('Campaign', 'campaign', 'campaigns', { name: 'Batch, changed' }, ({ demo }) => ({
    name: 'Batch',
    funding_instrument_id: demo.funding_instrument_id,
    daily_budget_amount_local_micro: 1_000_000,
    standard_delivery: true,
    entity_status: 'PAUSED',
  })),
  ...batchOf('LineItem', 'line_item', 'line_items', { name: 'Batch, changed' }, ({ objects }) => ({
    ...objects.LineItem,
    id: undefined,
    name: 'Batch',
  })),
  ...batchOf('TargetingCriteria', 'targeting_criterion', 'targeting_criteria', {}, ({ objects }) => ({
    line_item_id: objects.LineItem.id,
    targeting_type: 'BROAD_KEYWORD',
    targeting_value: 'tea',
  })),
];

/** A file: the SDK for Python sends a part without a file name, twurl an unusual content type. */
const upload = (sdk: Sdk, file: Buffer): Call => ({
  name: sdk === 'python' ? 'Request.perform, with a file' : 'twurl -f',
  ask: () => ({
    method: 'POST',
    path: 'https://upload.twitter.com/1.1/media/upload.json',
    params: { media_category: 'TWEET_IMAGE' },
    file,
  }),
  reads: ['media_id', 'media_id_string', 'media_key'],
  keeps: 'upload',
  isBare: true,
});

/** All calls of an SDK, in the order in which they can be sent. */
export function callsFor(sdk: Sdk, file: Buffer): Call[] {
  const resources = RESOURCES.filter(({ only }) => !only || only === sdk);
  const deletable = resources.filter(({ create }) => create).toReversed();
  return [
    ...FIRST,
    upload(sdk, file),
    ...resources.flatMap((resource) => [...callsOf(resource)]),
    ...OTHERS,
    ...TAP.filter(({ only }) => only === sdk),
    ...BATCHES,
    ...deletable.map(deletionOf),
    ...LAST.filter(({ only }) => !only || only === sdk),
  ];
}
