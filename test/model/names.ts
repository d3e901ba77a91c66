/** The names of X's documentation for what the model sends and reads, by the contract of names. */
const WORDS = [
  ...['draft_posts', 'draft_post_id', 'scheduled_posts', 'scheduled_post_id', 'promoted_posts', 'promoted_post_id'],
  ...['post_id', 'post_ids', 'automatic_post_promotion', 'PROMOTED_POST', 'PROMOTED_POSTS', 'POST_NOT_FOUND'],
  ...[
    'POST_CANNOT_BE_BLANK',
    'DUPLICATE_POST',
    'ALL_ON_PLATFORM',
    'PLATFORM_TIMELINE',
    'PLATFORM_PROFILE',
    'PLATFORM_SEARCH',
  ],
  ...['posted', 'POST_IMAGE', 'POST_GIF', 'POST_VIDEO'],
  ...['first_cta_post', 'second_cta_post', 'third_cta_post', 'fourth_cta_post'],
];
const RENAMED: Record<string, string> = { post: 'tweet', POST: 'TWEET', PLATFORM: 'TWITTER' };
const OF_X = Object.fromEntries(
  WORDS.map((word) => [word, word.replace(/post|POST|PLATFORM/, (part) => RENAMED[part])]),
);
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
