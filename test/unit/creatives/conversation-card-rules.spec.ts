import 'reflect-metadata';
import type { Row } from '../../../src/common/db/query/rows.js';
import { readParams } from '../../../src/common/http/params/params.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import type { Card } from '../../../src/creatives/entities/card.entity.js';
import {
  conversationFieldsOf,
  newConversationCard,
  patchOfConversation,
  problemsOfConversationPatch,
  problemsOfNewConversation,
  type SentConversation,
} from '../../../src/creatives/conversation-cards/conversation-card.rules.js';
import { CreateImageConversationCard } from '../../../src/creatives/conversation-cards/conversation-cards.dto.js';
import type { ConversationContent } from '../../../src/creatives/card-content/card-content.js';

const ACCOUNT = { id: 'account' };
const image = (width: number, height: number) =>
  ({ mediaType: 'IMAGE', contentType: 'image/jpeg', width, height, size: 1 }) as const;
const LIBRARY = new Map([
  ['3_1', image(1200, 628)],
  ['3_2', image(800, 320)],
]);
const CONTEXT = { account: ACCOUNT, library: LIBRARY };
const FIRST = { first_cta: '#one', first_cta_post: 'One', thank_you_text: 'Thanks', media_key: '3_1' };
const SECOND = { second_cta: '#two', second_cta_post: 'Two' };
const THIRD = { third_cta: '#three', third_cta_post: 'Three' };
const FOURTH = { fourth_cta: '#four', fourth_cta_post: 'Four' };
const named = (problems: { code: string | number; detail: { parameter?: string } }[]) =>
  problems.map(({ code, detail }) => `${code} ${detail.parameter}`);
const stored = (params: SentConversation): Row<Card> =>
  newConversationCard(ACCOUNT, 'IMAGE_CONVERSATION', { name: 'Card', ...FIRST, ...params }) as Row<Card>;

describe('what belongs together in a conversation card', () => {
  it.each<[string, SentConversation, string[]]>([
    ['a title', { title: 'T' }, []],
    ['a second hashtag', SECOND, []],
    ['all of it', { title: 'T', ...SECOND, ...THIRD, ...FOURTH }, []],
    ['neither title nor second hashtag', {}, ['MISSING_PARAMETER title']],
    ['an empty title', { title: null }, ['MISSING_PARAMETER title']],
    ['a second without its post', { second_cta: '#two' }, ['MISSING_PARAMETER second_cta_post']],
    ['a post without its second', { title: 'T', second_cta_post: 'Two' }, ['INCLUSIVE_PARAMETERS second_cta']],
    ['a third without a second', { title: 'T', ...THIRD }, ['MISSING_PARAMETER second_cta']],
    ['a third without its post', { ...SECOND, third_cta: '#three' }, ['MISSING_PARAMETER third_cta_post']],
    ['a fourth without a third', { ...SECOND, ...FOURTH }, ['MISSING_PARAMETER third_cta']],
    [
      'a fourth alone',
      { title: 'T', fourth_cta: '#four' },
      ['MISSING_PARAMETER fourth_cta_post', 'MISSING_PARAMETER third_cta'],
    ],
  ])('%s', (_, params, expected) => {
    const request = Parsed.complete({ ...FIRST, ...params });
    expect(named(problemsOfNewConversation('IMAGE_CONVERSATION', request, CONTEXT))).toEqual(expected);
  });

  it('is not asked of what could not be read', () => {
    const request = new Parsed<SentConversation>(
      { ...FIRST, third_cta: '#three' },
      new Set(['title', 'third_cta_post']),
    );
    expect(named(problemsOfNewConversation('IMAGE_CONVERSATION', request, CONTEXT))).toEqual([
      'MISSING_PARAMETER second_cta',
    ]);
  });
});

describe('a conversation card that changes', () => {
  it.each<[string, SentConversation, SentConversation, string[]]>([
    ['nothing', { title: 'T' }, {}, []],
    ['the title for a second', { title: 'T' }, { title: null, ...SECOND }, []],
    ['its only title', { title: 'T' }, { title: null }, ['MISSING_PARAMETER title']],
    ['its second, with a title', { title: 'T', ...SECOND }, { second_cta: null }, []],
    [
      'its second, with a third',
      { title: 'T', ...SECOND, ...THIRD },
      { second_cta: null },
      ['MISSING_PARAMETER second_cta'],
    ],
    ['a post of what it has', SECOND, { second_cta_post: 'New' }, []],
    ['the post of its second', SECOND, { second_cta_post: null }, ['MISSING_PARAMETER second_cta_post']],
    ['a third', SECOND, THIRD, []],
    ['a fourth', SECOND, FOURTH, ['MISSING_PARAMETER third_cta']],
  ])('%s', (_, before, sent, expected) => {
    const problems = problemsOfConversationPatch(Parsed.complete(sent), CONTEXT, stored(before));
    expect(named(problems)).toEqual(expected);
  });

  it('loses what belongs to a hashtag with it, and keeps the rest', () => {
    const card = stored({ title: 'T', ...SECOND, unlocked_image_media_key: '3_2' });
    expect(card.mediaKeys).toEqual(['3_1', '3_2']);
    const patch = patchOfConversation(card, { second_cta: null, unlocked_image_media_key: null });
    expect(patch).toMatchObject({
      content: { title: 'T', ctas: [{ hashtag: '#one', post: 'One' }] },
      mediaKeys: ['3_1'],
    });
    const same = conversationFieldsOf(card.content as ConversationContent);
    // media that stay are not asked about, wherever they are by now
    expect(problemsOfConversationPatch(Parsed.complete(same), { ...CONTEXT, library: new Map() }, card)).toEqual([]);
    expect(patchOfConversation(card, same)).toEqual({ name: undefined });
  });
});

describe('features of conversation cards', () => {
  const all = { ...FIRST, ...SECOND, ...THIRD, ...FOURTH, unlocked_image_media_key: '3_2' };
  it.each<[string, string[] | undefined, string[]]>([
    ['are not asked for', undefined, []],
    ['are there', ['CONVERSATION_CARD', 'CONVERSATION_CARD_FOUR_OPTIONS', 'CONVERSATION_CARD_UNLOCK'], []],
    [
      'are missing',
      [],
      ['undefined', 'third_cta', 'fourth_cta', 'unlocked_image_media_key'].map(
        (each) => `FEATURE_NOT_AVAILABLE ${each}`,
      ),
    ],
    [
      'are there in part',
      ['CONVERSATION_CARD', 'CONVERSATION_CARD_FOUR_OPTIONS'],
      ['FEATURE_NOT_AVAILABLE unlocked_image_media_key'],
    ],
  ])('%s', (_, features, expected) => {
    const context = { ...CONTEXT, account: { ...ACCOUNT, features } };
    expect(named(problemsOfNewConversation('IMAGE_CONVERSATION', Parsed.complete(all), context))).toEqual(expected);
  });

  it('may be gone for what a card has already', () => {
    const card = stored({ ...SECOND, ...THIRD });
    const context = { ...CONTEXT, account: { ...ACCOUNT, features: ['CONVERSATION_CARD'] } };
    expect(problemsOfConversationPatch(Parsed.complete({ ...THIRD, title: 'T' }), context, card)).toEqual([]);
    expect(problemsOfConversationPatch(Parsed.complete({ third_cta: '#other' }), context, card)).toHaveLength(1);
  });
});

describe('hashtags', () => {
  const read = (first_cta: string) => {
    const { params, refused } = readParams(CreateImageConversationCard, { name: 'Card', ...FIRST, first_cta });
    return params?.first_cta ?? refused?.errors.map(({ detail }) => detail.parameter);
  };
  it.each([
    ['coffee', '#coffee'],
    ['#coffee', '#coffee'],
    [' #coffee ', '#coffee'],
    ['Café_24', '#Café_24'],
    ['コーヒー', '#コーヒー'],
    ['x'.repeat(20), `#${'x'.repeat(20)}`],
    [`#${'𠮷'.repeat(20)}`, `#${'𠮷'.repeat(20)}`],
  ])('%s', (given, kept) => expect(read(given)).toBe(kept));
  it.each(['', '#', '##coffee', 'two words', 'no-dash', 'a.b', '☕', 'x'.repeat(21), `#${'x'.repeat(21)}`])(
    'not "%s"',
    (given) => expect(read(given)).toEqual(['first_cta']),
  );
});
