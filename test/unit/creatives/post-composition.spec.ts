import fc from 'fast-check';
import type { ActingAccount } from '../../../src/accounts/access/acting-account.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import {
  compositionOf,
  applyPatch,
  patchOfComposition,
  problemsOfNewComposition,
  problemsOfCompositionPatch,
  problemsOfPublishing,
  type Composition,
  type CompositionContext,
} from '../../../src/creatives/composition/composition.rules.js';
import { postDigestOf, videoProblems } from '../../../src/creatives/posts/post.rules.js';

const account = (userId = 'me', postComposer = true, role = 'ACCOUNT_ADMIN') =>
  ({ id: 'acc', userId, postComposer, role }) as ActingAccount;
const contextOf = (
  type: 'FULL' | 'RETWEETS_ONLY' | undefined = 'FULL',
  media: Record<string, 'IMAGE' | 'GIF' | 'VIDEO'> = {},
  owner = 'me',
): CompositionContext =>
  ({
    account: account(),
    promotable: type && { id: 'pu', promotableUserType: type },
    library: new Map(
      Object.entries(media).map(([mediaKey, mediaType]) => [mediaKey, { mediaKey, mediaId: mediaKey, mediaType }]),
    ),
    uploads: new Map(Object.keys(media).map((key) => [key, { ownerId: owner, additionalOwners: ['other'] }])),
  }) as unknown as CompositionContext;
const codes = (problems: { code: string | number }[]) => problems.map(({ code }) => code);
const refusalsOf = (by: ActingAccount, sent: object, context: CompositionContext) =>
  codes(problemsOfNewComposition(Parsed.complete({ as_user_id: 'me', ...sent }), { ...context, account: by }));

/** Who may do what for whom. */
describe('on whose behalf', () => {
  const table: [
    caller: string,
    composer: boolean,
    role: string,
    type: 'FULL' | 'RETWEETS_ONLY' | undefined,
    nullcast: boolean,
    refused: string[],
  ][] = [
    ['me', true, 'ACCOUNT_ADMIN', 'FULL', true, []],
    ['me', true, 'ACCOUNT_ADMIN', 'FULL', false, []],
    ['me', false, 'CREATIVE_MANAGER', 'FULL', false, []],
    ['me', false, 'ACCOUNT_ADMIN', 'RETWEETS_ONLY', true, ['ACTION_NOT_ALLOWED']],
    ['me', true, 'ACCOUNT_ADMIN', 'RETWEETS_ONLY', false, ['ACTION_NOT_ALLOWED']],
    ['you', true, 'ACCOUNT_ADMIN', 'RETWEETS_ONLY', true, ['ACTION_NOT_ALLOWED']],
    ['you', true, 'AD_MANAGER', 'FULL', true, []],
    ['you', true, 'AD_MANAGER', 'FULL', false, ['INVALID_PARAMETER']],
    ['you', false, 'AD_MANAGER', 'FULL', true, ['ACTION_NOT_ALLOWED']],
    ['you', false, 'AD_MANAGER', 'FULL', false, ['ACTION_NOT_ALLOWED', 'INVALID_PARAMETER']],
    ['you', true, 'CAMPAIGN_ANALYST', 'FULL', true, ['ACTION_NOT_ALLOWED']],
    ['me', true, 'ACCOUNT_ADMIN', undefined, true, ['ACTION_NOT_ALLOWED']],
    ['me', true, 'ACCOUNT_ADMIN', undefined, false, ['ACTION_NOT_ALLOWED']],
  ];
  it.each(table)(
    '%s, composer %s, %s, for a %s user, nullcast %s: %j',
    (caller, composer, role, type, nullcast, refused) => {
      const context = { ...contextOf(), promotable: type && contextOf(type).promotable };
      expect(refusalsOf(account(caller, composer, role), { text: 'x', nullcast }, context)).toEqual(refused);
    },
  );
});

describe('media', () => {
  it('are up to four images, or one GIF, or one video', () => {
    const kinds = fc.constantFrom('IMAGE' as const, 'GIF' as const, 'VIDEO' as const);
    fc.assert(
      fc.property(fc.array(kinds, { maxLength: 8 }), (types) => {
        const media = Object.fromEntries(types.map((type, i) => [`m${i}`, type]));
        const fits = types.every((type) => type === 'IMAGE') ? types.length <= 4 : types.length === 1;
        const found = refusalsOf(account(), { text: 'x', media_keys: Object.keys(media) }, contextOf('FULL', media));
        expect(found).toEqual(fits ? [] : ['INVALID_MEDIA']);
      }),
    );
  });

  it('are in the library, the own ones of the user, and each once', () => {
    const context = contextOf('FULL', { m0: 'IMAGE' }, 'you');
    expect(refusalsOf(account(), { media_keys: ['m1'] }, context)).toEqual(['INVALID_MEDIA_ID']);
    expect(refusalsOf(account(), { media_keys: ['m0'] }, context)).toEqual(['INVALID_MEDIA']);
    expect(refusalsOf(account('other'), { as_user_id: 'other', media_keys: ['m0'] }, context)).toEqual([]);
    const own = contextOf('FULL', { m0: 'IMAGE' });
    expect(refusalsOf(account(), { media_keys: ['m0', 'm0'] }, own)).toEqual(['INVALID_MEDIA']);
  });
});

describe('text', () => {
  it.each([
    [{}, ['MISSING_PARAMETER']],
    [{ text: '' }, ['POST_CANNOT_BE_BLANK']],
    [{ text: '', media_keys: ['m0'] }, []],
    [{ media_keys: ['m0'] }, []],
    [{ media_keys: [] }, ['MISSING_PARAMETER']],
    [{ media_keys: null, text: '' }, ['POST_CANNOT_BE_BLANK']],
    [{ card_uri: 'card://1', text: 'x' }, ['INVALID_PARAMETER']],
    [{ text: 'x'.repeat(281) }, ['INVALID_PARAMETER']],
  ])('%j', (sent, refused) => expect(refusalsOf(account(), sent, contextOf('FULL', { m0: 'IMAGE' }))).toEqual(refused));
});

describe('a patch', () => {
  const before: Composition = { userId: 'me', text: 'x', cardId: '7', mediaKeys: ['m0'], nullcast: true, name: 'n' };

  it('changes what was sent, and unsets what is empty', () => {
    expect(applyPatch(before, patchOfComposition({}))).toEqual(before);
    expect(applyPatch(before, patchOfComposition({ card_uri: null, media_keys: null, name: null }))).toEqual({
      ...before,
      cardId: null,
      mediaKeys: [],
      name: null,
    });
    expect(applyPatch({ ...before, nullcast: false }, patchOfComposition({ nullcast: null })).nullcast).toBe(true);
    expect(patchOfComposition({ card_uri: 'card://12' }).cardId).toBe('12');
  });

  it('of nothing is never refused, whatever has become of what it names', () => {
    const nothing = { account: account('you', false), library: new Map(), uploads: new Map() } as CompositionContext;
    const sent = { text: 'x', card_uri: 'card://7', media_keys: ['m0'], nullcast: true, name: 'another' };
    expect(problemsOfCompositionPatch(Parsed.complete(sent), nothing, before)).toEqual([]);
    expect(codes(problemsOfCompositionPatch(Parsed.complete({ text: 'y' }), nothing, before))).toEqual([
      'ACTION_NOT_ALLOWED',
    ]);
    expect(
      codes(
        problemsOfCompositionPatch(
          Parsed.complete(sent),
          { ...contextOf(), account: account('you', false) },
          before,
          true,
        ),
      ),
    ).toEqual(['ACTION_NOT_ALLOWED']);
  });
});

describe('publishing', () => {
  const composition = compositionOf('me', { text: 'x', media_keys: ['m0'], card_uri: 'card://7', nullcast: false });
  it('needs everything that the post names', () => {
    const whole = { ...contextOf('FULL', { m0: 'IMAGE' }), card: {} } as CompositionContext;
    expect(problemsOfPublishing(composition, whole)).toEqual([]);
    const nothing = { account: account(), library: new Map(), uploads: new Map() } as CompositionContext;
    expect(codes(problemsOfPublishing(composition, nothing))).toEqual([
      'ACTION_NOT_ALLOWED',
      'INVALID_MEDIA_ID',
      'INVALID_PARAMETER',
    ]);
    const reposts = { ...whole, promotable: contextOf('RETWEETS_ONLY').promotable };
    expect(codes(problemsOfPublishing(composition, reposts))).toEqual(['ACTION_NOT_ALLOWED']);
  });
});

describe('what is said of a video', () => {
  it('needs one, unless it is not known what there is', () => {
    const { library } = contextOf('FULL', { v: 'VIDEO', m: 'IMAGE' });
    const sent = { video_title: 't', video_cta: 'WATCH_NOW' as const };
    expect(videoProblems(sent, ['v'], { library })).toEqual([]);
    expect(videoProblems(sent, ['unknown'], { library })).toEqual([]);
    expect(videoProblems(sent, ['m'], { library })).toMatchObject([
      { code: 'INVALID_PARAMETER', detail: { parameter: 'video_title', details: 'm is of type IMAGE' } },
      { code: 'INVALID_PARAMETER', detail: { parameter: 'video_cta' } },
    ]);
    expect(codes(videoProblems(sent, [], { library }))).toEqual(['INCLUSIVE_PARAMETERS', 'INCLUSIVE_PARAMETERS']);
    expect(videoProblems({}, [], { library })).toEqual([]);
  });
});

describe('the digest of a post', () => {
  const post = compositionOf('me', { text: 'x', media_keys: ['m0'], card_uri: 'card://7' });
  const day = new Date('2026-11-22T00:00:00Z');
  it('is that of what it says and shows, and of its day', () => {
    expect(postDigestOf({ ...post, name: 'other', nullcast: false }, new Date('2026-11-22T23:59:59Z'))).toBe(
      postDigestOf(post, day),
    );
    for (const other of [{ text: 'y' }, { mediaKeys: [] }, { cardId: null }])
      expect(postDigestOf({ ...post, ...other }, day)).not.toBe(postDigestOf(post, day));
    expect(postDigestOf(post, new Date('2026-11-23T00:00:00Z'))).not.toBe(postDigestOf(post, day));
  });
});
