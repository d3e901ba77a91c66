/** The names of X's documentation for what the model sends and reads, by the contract of names. */
const OF_X: Record<string, string> = {
  draft_posts: 'draft_tweets',
  draft_post_id: 'draft_tweet_id',
  scheduled_posts: 'scheduled_tweets',
  scheduled_post_id: 'scheduled_tweet_id',
  promoted_posts: 'promoted_tweets',
  promoted_post_id: 'promoted_tweet_id',
  post_id: 'tweet_id',
  post_ids: 'tweet_ids',
  automatic_post_promotion: 'automatic_tweet_promotion',
  PROMOTED_POST: 'PROMOTED_TWEET',
  PROMOTED_POSTS: 'PROMOTED_TWEETS',
  ALL_ON_PLATFORM: 'ALL_ON_TWITTER',
  PLATFORM_TIMELINE: 'TWITTER_TIMELINE',
  PLATFORM_PROFILE: 'TWITTER_PROFILE',
  PLATFORM_SEARCH: 'TWITTER_SEARCH',
  POST_NOT_FOUND: 'TWEET_NOT_FOUND',
  POST_CANNOT_BE_BLANK: 'TWEET_CANNOT_BE_BLANK',
};
const OURS = Object.fromEntries(Object.entries(OF_X).map(([ours, theirs]) => [theirs, ours]));

const renamed = <T>(value: T, names: Record<string, string>): T =>
  value === undefined
    ? value
    : (JSON.parse(JSON.stringify(value).replaceAll(/\w+/g, (word) => (word in names ? names[word] : word))) as T);

/** What is sent, with the names of X. */
export const inNamesOfX = <T>(sent: T): T => renamed(sent, OF_X);

/** An answer with the names of X, with ours. It throws if the answer has some of ours. */
export function inOurNames<T>(answer: T): T {
  const ours = (JSON.stringify(answer) ?? '').match(/\w+/g)?.filter((word) => word in OF_X) ?? [];
  if (ours.length > 0)
    throw new Error(`${ours.join(', ')} in an answer with the names of X: ${JSON.stringify(answer)}`);
  return renamed(answer, OURS);
}
