import fc from 'fast-check';
import { swapErrors, swapHint, TAKES_THEIR_NAMES } from '../../../src/names/swap-errors.js';
import { readParameters, swapJson, swapJsonText } from '../../../src/names/swap-json.js';
import {
  ourWord,
  swapCode,
  swapHeader,
  swapName,
  swapPath,
  swapProse,
  swapText,
  swapWord,
} from '../../../src/names/swap.js';
import { CODES, HEADERS, NAMES, PATH_SEGMENTS, WORDS } from '../../../src/names/table.js';

/** As the comparison of both documentations lists them. */
const LISTED_NAMES = `post tweet, post_id tweet_id, post_ids tweet_ids, post_type tweet_type, post_mode tweet_mode,
  promoted_post_ids promoted_tweet_ids, scheduled_promoted_post_ids scheduled_promoted_tweet_ids,
  scheduled_post_id scheduled_tweet_id, draft_post_id draft_tweet_id, promoted_post_id promoted_tweet_id,
  scheduled_promoted_post_id scheduled_promoted_tweet_id, first_cta_post first_cta_tweet, second_cta_post second_cta_tweet,
  third_cta_post third_cta_tweet, fourth_cta_post fourth_cta_tweet, platform_id twitter_id,
  platform_auth_access_type x_auth_access_type, automatic_post_promotion automatic_tweet_promotion, posted tweeted,
  post_volume tweet_volume, posts_send tweets_send, top_posts top_tweets, post_create_events tweet_create_events,
  non_platform_engagement_time non_twitter_engagement_time, non_platform_engagement_type non_twitter_engagement_type,
  platform_attribution twitter_attribution, post_update_events tweet_update_events, draft_post_events draft_tweet_events, promoted_post_events promoted_tweet_events,
  scheduled_post_events scheduled_tweet_events, scheduled_promoted_post_events scheduled_promoted_tweet_events`;
const LISTED_WORDS = `placements ALL_ON_PLATFORM ALL_ON_TWITTER, placements PLATFORM_TIMELINE TWITTER_TIMELINE,
  placements PLATFORM_SEARCH TWITTER_SEARCH, placements PLATFORM_PROFILE TWITTER_PROFILE,
  placements PLATFORM_REPLIES TWITTER_REPLIES, product_type PROMOTED_POSTS PROMOTED_TWEETS,
  permissions POST_COMPOSER TWEET_COMPOSER, media_category POST_IMAGE TWEET_IMAGE, media_category POST_GIF TWEET_GIF,
  media_category POST_VIDEO TWEET_VIDEO, media_category post_image tweet_image, media_category post_gif tweet_gif,
  media_category post_video tweet_video, media_category PostImage TweetImage, media_category PostGif TweetGif,
  media_category PostVideo TweetVideo, entity_type PROMOTED_POST PROMOTED_TWEET, entity PROMOTED_POST PROMOTED_TWEET,
  entity_type POST TWEET, entity_type DRAFT_POST DRAFT_TWEET, entity_type SCHEDULED_POST SCHEDULED_TWEET,
  entity_type SCHEDULED_PROMOTED_POST SCHEDULED_PROMOTED_TWEET, kind post.create tweet.create,
  kind scheduled_post.published scheduled_tweet.published`;
const LISTED_CODES = `DUPLICATE_POST DUPLICATE_TWEET, POST_CANNOT_BE_BLANK TWEET_CANNOT_BE_BLANK,
  POST_NOT_FOUND TWEET_NOT_FOUND, SCHEDULED_POST_LIMIT_EXCEEDED SCHEDULED_TWEET_LIMIT_EXCEEDED`;
const LISTED_PATHS = `draft_posts draft_tweets, draft_posts/:draft_post_id draft_tweets/:draft_tweet_id,
  draft_posts/preview/{draft_post_id} draft_tweets/preview/{draft_tweet_id}, scheduled_posts scheduled_tweets,
  scheduled_posts/7 scheduled_tweets/7, scheduled_posts/preview/7 scheduled_tweets/preview/7, post_previews tweet_previews, posts tweets, post tweet,
  posts/:post_id/name tweets/:tweet_id/name, promoted_posts promoted_tweets,
  promoted_posts/:promoted_post_id promoted_tweets/:promoted_tweet_id,
  scheduled_promoted_posts scheduled_promoted_tweets, posts.json tweets.json, posts?q=posts tweets?q=posts`;

const rows = (listed: string): string[][] => listed.split(',').map((row) => row.trim().split(/\s+/));

/** What looks like one of the words and is another one. */
const OTHER_NAMES = `poster_media_key poster_media_url video_poster_url video_poster_height post_view post_engagement
  post_view_attribution_window platform platforms platform_versions retweeted retweet_count id text name posts`.split(
  /\s+/,
);
const OTHER_WORDS = [
  'POSTAL_CODES',
  'PLATFORM',
  'PLATFORM_VERSION',
  'VIDEO_GAME_PLATFORMS',
  'RETWEETS_ONLY',
  'ENGAGEMENTS',
];

/** All words of both vocabularies, for texts that contain them. */
const ANY_WORD = [NAMES, CODES, HEADERS, PATH_SEGMENTS, ...Object.values(WORDS)]
  .flatMap((table) => Object.entries(table))
  .flat();
const anyText = fc.oneof(
  fc.constantFrom(...ANY_WORD),
  fc
    .array(fc.oneof(fc.constantFrom(...ANY_WORD, '"', ', ', ': ', 'got ', '/12/accounts/x/posts'), fc.string()), {
      maxLength: 6,
    })
    .map((parts) => parts.join(' ')),
);

describe('single words', () => {
  it.each(rows(LISTED_NAMES))('the name %s is %s at X', (ours, theirs) => {
    expect([swapName(ours), swapName(theirs), swapProse(`${ours} is absent`)]).toEqual([
      theirs,
      ours,
      ours === 'posted' || ours === 'post' ? `${ours} is absent` : `${theirs} is absent`,
    ]);
  });

  it.each(rows(LISTED_WORDS))('a value of %s that is %s is %s at X', (name, ours, theirs) => {
    expect([swapWord(name, ours), swapWord(name, theirs)]).toEqual([theirs, ours]);
    expect([swapWord('name', ours), swapWord('operation_type', theirs)]).toEqual([ours, theirs]);
  });

  it.each(rows(LISTED_CODES))('the code %s is %s at X', (ours, theirs) => {
    expect([swapCode(ours), swapCode(theirs)]).toEqual([theirs, ours]);
  });

  it.each(rows(LISTED_PATHS))('the path %s is %s at X', (ours, theirs) => {
    for (const before of [
      '/12/accounts/18ce54d4x5t/',
      '/12/accounts/posts/',
      '/accounts/:account_id/',
      '/sandbox/12/accounts/{account_id}/',
    ])
      expect([swapPath(before + ours), swapPath(before + theirs)]).toEqual([before + theirs, before + ours]);
  });

  it('covers the whole table', () => {
    const covered = new Set(
      [LISTED_NAMES, LISTED_CODES, LISTED_WORDS, LISTED_PATHS].flatMap((listed) => rows(listed)).flat(),
    );
    const all = [
      NAMES,
      CODES,
      PATH_SEGMENTS,
      WORDS.placements,
      WORDS.product_type,
      WORDS.permissions,
      WORDS.media_category,
      WORDS.entity_type,
    ];
    const missing = all.flatMap((table) => Object.entries(table).flat()).filter((word) => !covered.has(word));
    // no endpoint deletes a published post
    expect(missing).toEqual(['post_delete_events', 'tweet_delete_events']);
  });

  it('leaves words that mean something else', () => {
    expect(OTHER_NAMES.map(swapName)).toEqual(OTHER_NAMES);
    for (const name of Object.keys(WORDS)) expect(OTHER_WORDS.map((word) => swapWord(name, word))).toEqual(OTHER_WORDS);
    for (const path of [
      '/12/accounts',
      '/12/posts',
      '/12/accounts/posts',
      '/12/accounts/x/cards/posts',
      '/2/webhooks/posts',
      '/docs/accounts/x/posts/%zz',
    ])
      expect(swapPath(path)).toBe(path);
  });

  it('reads a percent-encoded path', () => {
    expect(swapPath('/12/accounts/x/tw%65ets')).toBe('/12/accounts/x/posts');
    expect(swapPath('/12/accounts/x/%zz')).toBe('/12/accounts/x/%zz');
  });

  it('takes media categories in any case, as both sources have them', () => {
    expect(['TWEET_IMAGE', 'tweet_image', 'Tweet_Image'].map((word) => swapWord('media_category', word))).toEqual([
      'POST_IMAGE',
      'post_image',
      'post_image',
    ]);
  });

  it('knows the header of deliveries', () => {
    expect(swapHeader('x-platform-webhooks-signature')).toBe('x-twitter-webhooks-signature');
  });

  it('knows which words only X has', () => {
    expect(['tweet_ids', 'PROMOTED_TWEETS', 'tweets', 'post_ids', 'posts', 'name'].map(ourWord)).toEqual([
      'post_ids',
      'PROMOTED_POSTS',
      'posts',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('JSON', () => {
  it('has other names at any depth, and other words where they are values of an enumeration', () => {
    const ours = {
      request: { params: { post_ids: ['posts'], placements: ['ALL_ON_PLATFORM', 'TAP_FULL'] } },
      data: [
        {
          post_id: '1',
          product_type: 'PROMOTED_POSTS',
          name: 'PROMOTED_POSTS',
          posted: true,
          retweeted: false,
          first_cta_post: 'post_id',
        },
      ],
    };
    const theirs = {
      request: { params: { tweet_ids: ['posts'], placements: ['ALL_ON_TWITTER', 'TAP_FULL'] } },
      data: [
        {
          tweet_id: '1',
          product_type: 'PROMOTED_TWEETS',
          name: 'PROMOTED_POSTS',
          tweeted: true,
          retweeted: false,
          first_cta_tweet: 'post_id',
        },
      ],
    };
    expect(swapJson(ours)).toEqual(theirs);
    expect(swapJsonText(JSON.stringify(theirs))).toBe(JSON.stringify(ours));
  });

  it('has other words in what changed', () => {
    expect(
      swapJson({
        changes: { placements: { old: ['ALL_ON_PLATFORM'], new: [] }, name: { old: 'POST_IMAGE', new: null } },
      }),
    ).toEqual({
      changes: { placements: { old: ['ALL_ON_TWITTER'], new: [] }, name: { old: 'POST_IMAGE', new: null } },
    });
  });

  it('has another code at the beginning of a reason, and the same text after it', () => {
    const changed = { old: null, new: 'DUPLICATE_POST: DUPLICATE_POST is written here' };
    expect(swapJson({ failure_reason: changed.new, changes: { failure_reason: changed } })).toEqual({
      failure_reason: 'DUPLICATE_TWEET: DUPLICATE_POST is written here',
      changes: { failure_reason: { old: null, new: 'DUPLICATE_TWEET: DUPLICATE_POST is written here' } },
    });
  });

  it('has another class in a preview, and no field that X has nothing like', () => {
    const preview = (name: string) =>
      `<iframe class='${name}' src='https://x/?class=post-preview' title='post_id'></iframe>`;
    expect(swapJson({ preview: preview('post-preview'), reposted_post_id: '1' })).toEqual({
      preview: preview('tweet-preview'),
    });
  });

  it('reads parameters also as the SDKs spell them', () => {
    expect(
      readParameters({
        fouth_cta_tweet: 'a',
        twitter_id: ['b'],
        placements: 'TWITTER_SEARCH, TAP_FULL',
        users: [{ twitter_id: 'tweet_id' }],
      }),
    ).toEqual({
      fourth_cta_post: 'a',
      platform_id: ['b'],
      placements: 'PLATFORM_SEARCH, TAP_FULL',
      users: [{ platform_id: 'tweet_id' }],
    });
  });

  it('has both values of a parameter in both spellings', () => {
    expect(readParameters({ fouth_cta_tweet: 'a', fourth_cta_tweet: ['b', 'c'] })).toEqual({
      fourth_cta_post: ['a', 'b', 'c'],
    });
  });

  it('keeps a member called __proto__ a member', () => {
    const read = readParameters(JSON.parse('{"__proto__": {"tweet_id": 1}, "a": 1}')) as object;
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(JSON.stringify(read)).toBe('{"__proto__":{"post_id":1},"a":1}');
  });

  it('is the same after two translations, with any names and values', () => {
    const key = fc.oneof(
      fc.constantFrom(...Object.keys(NAMES), ...Object.values(NAMES), ...Object.keys(WORDS)),
      fc.string(),
    );
    const leaf = fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
      ),
    }));
    const isUnambiguous = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.keys(value).every((name) => swapName(name) === name || !(swapName(name) in value)) &&
        Object.values(value).every(isUnambiguous));
    fc.assert(
      fc.property(tree.filter(isUnambiguous), (value) => {
        // an involution but for fields that are left out, and for words in mixed case
        if (/reposted_post_id|media_category/.test(JSON.stringify(value) ?? '')) return;
        expect(swapJson(swapJson(value))).toEqual(value);
      }),
    );
  });
});

describe('errors', () => {
  const ads = (error: object) => ({ errors: [{ code: 'INVALID_PARAMETER', ...error }], request: { params: {} } });
  const swapped = (error: object) => (swapErrors(ads(error)) as { errors: object[] }).errors[0];

  it('have codes, parameters and messages of the vocabulary', () => {
    expect(
      swapErrors({
        errors: [{ code: 'MISSING_PARAMETER', message: '"post_ids" is a required parameter', parameter: 'post_ids' }],
        request: { params: { post_type: 'DRAFT' } },
      }),
    ).toEqual({
      errors: [{ code: 'MISSING_PARAMETER', message: '"tweet_ids" is a required parameter', parameter: 'tweet_ids' }],
      request: { params: { tweet_type: 'DRAFT' } },
    });
    expect(
      swapped({
        code: 'DUPLICATE_POST',
        message: 'This user has already published the same post today',
        parameter: 'text',
      }),
    ).toMatchObject({
      code: 'DUPLICATE_TWEET',
      message: 'This user has already published the same post today',
    });
    expect(
      swapped({
        message: 'Expected an array, got 1 for users[0].platform_id',
        parameter: 'users[0].platform_id',
        value: 1,
      }),
    ).toMatchObject({
      message: 'Expected an array, got 1 for users[0].twitter_id',
      parameter: 'users[0].twitter_id',
    });
  });

  it('list the words of the vocabulary, and repeat the word that was sent', () => {
    const error = {
      message: 'Expected a value in ALL_ON_PLATFORM, TAP_FULL, got "ALL_ON_TWITTER" for placements',
      parameter: 'placements',
      value: 'ALL_ON_TWITTER',
      hint: `Did you mean ALL_ON_PLATFORM? ${TAKES_THEIR_NAMES}`,
    };
    expect(swapped(error)).toMatchObject({
      message: 'Expected a value in ALL_ON_TWITTER, TAP_FULL, got "ALL_ON_PLATFORM" for placements',
      value: 'ALL_ON_PLATFORM',
      hint: 'Did you mean ALL_ON_TWITTER? The header x-marquee-names: marquee makes this service take its own names.',
    });
    expect(
      swapped({
        message: 'Expected a value in CAMPAIGN, got "TWEET" for entity_type',
        parameter: 'entity_type',
        value: 'TWEET',
      }),
    ).toMatchObject({
      message: 'Expected a value in CAMPAIGN, got "POST" for entity_type',
      value: 'POST',
    });
  });

  it('repeat a value that is no word as it was sent', () => {
    for (const value of ['post_id', 'my post_id, "tweet_ids"', 'PROMOTED_POSTS', '/12/accounts/a/posts'])
      expect(
        swapped({ message: `Expected Integer, got "${value}" for post_ids`, parameter: 'count', value }),
      ).toMatchObject({
        message: `Expected Integer, got "${value}" for tweet_ids`,
        value,
      });
    expect(
      swapped({ message: 'Post post_id was not found for Account x', parameter: 'post_id', value: 'post_id' }),
    ).toMatchObject({
      message: 'Post post_id was not found for Account x',
      parameter: 'tweet_id',
      value: 'post_id',
    });
    expect(
      swapped({
        message: 'Expected a text, got {"tweet_id":"post_id"} for name',
        parameter: 'name',
        value: { tweet_id: 'post_id' },
      }),
    ).toMatchObject({
      message: 'Expected a text, got {"post_id":"post_id"} for name',
      value: { post_id: 'post_id' },
    });
    expect(
      swapped({
        message: 'The body is not well-formed JSON',
        parameter: 'body',
        details: `Unexpected token 'p', "post_id" is not valid JSON`,
      }),
    ).toMatchObject({
      details: `Unexpected token 'p', "post_id" is not valid JSON`,
    });
  });

  it('repeat any value as it was sent', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom('count', 'name', 'post_id', 'users[1].email'), (value, parameter) => {
        const shown = value.length + 2 > 120 ? `${`"${value}"`.slice(0, 117).toWellFormed()}...` : `"${value}"`;
        const message = (own: string, name: string) => `Expected ${own}, got ${shown} for ${name}`;
        const error = swapped({ message: message('post_ids', parameter), parameter, value }) as {
          message: string;
          value: string;
        };
        expect([error.message, error.value]).toEqual([
          message('tweet_ids', parameter.replace('post_id', 'tweet_id')),
          value,
        ]);
      }),
    );
  });

  it('repeat an object that cannot be converted to a text', () => {
    const error = { message: 'Expected String, got {"toString":null} for post_id', value: { toString: null } };
    expect(swapped({ ...error, parameter: 'post_id' })).toMatchObject({
      message: 'Expected String, got {"toString":null} for tweet_id',
      parameter: 'tweet_id',
      value: { toString: null },
    });
  });

  it('of operations and problems are translated, too', () => {
    const error = { code: 'POST_NOT_FOUND', message: 'Post 1 was not found', parameter: 'post_id', value: '1' };
    expect(
      swapErrors({
        operation_errors: [[], [error]],
        request: [{ params: { post_ids: [] }, operation_type: 'Create' }],
      }),
    ).toEqual({
      operation_errors: [[], [{ ...error, code: 'TWEET_NOT_FOUND', parameter: 'tweet_id' }]],
      request: [{ params: { tweet_ids: [] }, operation_type: 'Create' }],
    });
    const problem = {
      title: 'Invalid Request',
      detail: '"post_id" is a required parameter',
      type: 'about:blank',
      status: 400,
      errors: [{ code: 357, message: '"post_id" is a required parameter', parameters: { post_id: [] } }],
    };
    expect(swapErrors(problem)).toMatchObject({
      detail: '"tweet_id" is a required parameter',
      errors: [{ parameters: { tweet_id: [] } }],
    });
  });
});

it('hints have paths and names of the vocabulary', () => {
  expect(
    swapHint(
      `Did you mean GET https://ads.example/12/accounts/post_id/posts? Write posts, not tweets. ${TAKES_THEIR_NAMES}`,
    ),
  ).toBe(
    'Did you mean GET https://ads.example/12/accounts/post_id/tweets? Write tweets, not posts. The header x-marquee-names: marquee makes this service take its own names.',
  );
  expect(swapText('name', 'post_ids, POST_IMAGE')).toBe('post_ids, POST_IMAGE');
});
