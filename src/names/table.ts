/**
 * The words that X's public documentation of v12 has for what this service calls otherwise: ours on the left, X's on the
 * right. All other words are the same in both vocabularies. Similar words that mean something else are not listed:
 * `poster_*` (images of videos), `post_view*` and `post_engagement*` ("after"), `platform` (of devices and changes).
 */

/** Segments of paths, below `/12/accounts/:account_id`. */
export const PATH_SEGMENTS = {
  draft_posts: 'draft_tweets',
  post: 'tweet',
  post_previews: 'tweet_previews',
  posts: 'tweets',
  promoted_posts: 'promoted_tweets',
  scheduled_posts: 'scheduled_tweets',
  scheduled_promoted_posts: 'scheduled_promoted_tweets',
} as const;

/** Parameters, fields of bodies and responses, and the lists of changes in events. */
export const NAMES = {
  // parameters and fields of posts and of what refers to them
  post_id: 'tweet_id',
  post_ids: 'tweet_ids',
  post_mode: 'tweet_mode',
  post_type: 'tweet_type',
  draft_post_id: 'draft_tweet_id',
  promoted_post_id: 'promoted_tweet_id',
  promoted_post_ids: 'promoted_tweet_ids',
  scheduled_post_id: 'scheduled_tweet_id',
  scheduled_promoted_post_id: 'scheduled_promoted_tweet_id',
  scheduled_promoted_post_ids: 'scheduled_promoted_tweet_ids',
  // conversation cards
  first_cta_post: 'first_cta_tweet',
  second_cta_post: 'second_cta_tweet',
  third_cta_post: 'third_cta_tweet',
  fourth_cta_post: 'fourth_cta_tweet',
  post: 'tweet', // of a choice, in events
  // users of audiences, and their identifiers in diagnostics
  platform_id: 'twitter_id',
  // request tokens
  platform_auth_access_type: 'x_auth_access_type',
  // fields of responses
  automatic_post_promotion: 'automatic_tweet_promotion',
  post_volume: 'tweet_volume',
  posted: 'tweeted',
  posts_send: 'tweets_send',
  top_posts: 'top_tweets',
  // events in apps
  non_platform_engagement_time: 'non_twitter_engagement_time',
  non_platform_engagement_type: 'non_twitter_engagement_type',
  platform_attribution: 'twitter_attribution',
  // events
  draft_post_events: 'draft_tweet_events',
  post_create_events: 'tweet_create_events',
  post_delete_events: 'tweet_delete_events',
  post_update_events: 'tweet_update_events',
  promoted_post_events: 'promoted_tweet_events',
  scheduled_post_events: 'scheduled_tweet_events',
  scheduled_promoted_post_events: 'scheduled_promoted_tweet_events',
} as const;

/** Entities whose changes are events, in capitals; `POST` is an HTTP method elsewhere. */
const ENTITIES = {
  DRAFT_POST: 'DRAFT_TWEET',
  POST: 'TWEET',
  PROMOTED_POST: 'PROMOTED_TWEET',
  SCHEDULED_POST: 'SCHEDULED_TWEET',
  SCHEDULED_PROMOTED_POST: 'SCHEDULED_PROMOTED_TWEET',
} as const;

/** What may happen to them. */
const EVENT_TYPES = ['create', 'update', 'delete', 'published', 'failed'];

/** The kinds of events about them, such as `draft_post.create`. */
const EVENT_KINDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ENTITIES).flatMap(([ours, theirs]) =>
    EVENT_TYPES.map((type) => [`${ours.toLowerCase()}.${type}`, `${theirs.toLowerCase()}.${type}`]),
  ),
);

/** Words of enumerations, by the parameter or field whose value they are. */
export const WORDS = {
  // of statistics
  placement: { ALL_ON_PLATFORM: 'ALL_ON_TWITTER' },
  placements: {
    ALL_ON_PLATFORM: 'ALL_ON_TWITTER',
    PLATFORM_PROFILE: 'TWITTER_PROFILE',
    PLATFORM_REPLIES: 'TWITTER_REPLIES',
    PLATFORM_SEARCH: 'TWITTER_SEARCH',
    PLATFORM_TIMELINE: 'TWITTER_TIMELINE',
  },
  product_type: { PROMOTED_POSTS: 'PROMOTED_TWEETS' },
  permissions: { POST_COMPOSER: 'TWEET_COMPOSER' },
  // the library has capitals, uploads have small letters, some clients write it like this
  media_category: {
    PostGif: 'TweetGif',
    PostImage: 'TweetImage',
    PostVideo: 'TweetVideo',
    POST_GIF: 'TWEET_GIF',
    POST_IMAGE: 'TWEET_IMAGE',
    POST_VIDEO: 'TWEET_VIDEO',
    post_gif: 'tweet_gif',
    post_image: 'tweet_image',
    post_video: 'tweet_video',
  },
  // of a row of the history, and of statistics
  entity: { ORGANIC_POST: 'ORGANIC_TWEET', PROMOTED_POST: 'PROMOTED_TWEET' },
  // of a search in the history, and of a change in an event
  entity_type: ENTITIES,
  // of a delivery
  kind: EVENT_KINDS,
} as const;

/** Codes of errors. */
export const CODES = {
  DUPLICATE_POST: 'DUPLICATE_TWEET',
  POST_CANNOT_BE_BLANK: 'TWEET_CANNOT_BE_BLANK',
  POST_NOT_FOUND: 'TWEET_NOT_FOUND',
  SCHEDULED_POST_LIMIT_EXCEEDED: 'SCHEDULED_TWEET_LIMIT_EXCEEDED',
} as const;

/** Headers of deliveries. */
export const HEADERS = { 'x-platform-webhooks-signature': 'x-twitter-webhooks-signature' } as const;

/** The class of the iframe in a `preview`. */
export const PREVIEW_CLASSES = { 'post-preview': 'tweet-preview' } as const;

/** Spellings of parameters that X's official SDKs send, and those of its documentation. */
export const SDK_SPELLINGS = { fouth_cta_tweet: 'fourth_cta_tweet' } as const;

/** Fields without a counterpart at X, which responses with X's names leave out. */
export const ONLY_OURS: readonly string[] = ['reposted_post_id'];
