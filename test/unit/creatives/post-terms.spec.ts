import {
  termQueryOf,
  keywordOf,
  MAX_SLOTS,
  slotOf,
  SLOT_MS,
  slotsIn,
  postTermsOf,
} from '../../../src/creatives/post-terms/post-terms.rules.js';

const AT = '2026-11-20T08:00:00.000Z';
const slot = slotOf(Date.parse(AT));
const keyword = (text: string) => keywordOf(text)!;

describe('the terms of a post', () => {
  it('are its words in their order, as numbers of 64 bits', () => {
    const [one, two, again, ...none] = postTermsOf('One two ONE', AT);
    expect(none).toEqual([]);
    expect(one).toBe(again);
    expect(one).not.toBe(two);
    for (const term of [one, two]) expect(BigInt.asIntN(64, BigInt(term))).toBe(BigInt(term));
  });

  it('are others in another time', () => {
    expect(postTermsOf('coffee', AT)).toEqual(postTermsOf('coffee', '2026-11-20T11:59:59.999Z'));
    expect(postTermsOf('coffee', AT)).not.toEqual(postTermsOf('coffee', '2026-11-20T12:00:00.000Z'));
  });

  it('tell hashtags from words, mentions from both, and keep links out', () => {
    const [word, tag, mention, link] = postTermsOf('coffee #coffee @coffee https://coffee.example', AT);
    expect(BigInt(tag)).toBe(BigInt(word) | 1n);
    expect(BigInt(word) & 1n).toBe(0n);
    expect(new Set([word, tag, mention, link]).size).toBe(4);
    expect(link).toBe('0');
  });

  it('of a hashtag of several words have these after it', () => {
    expect(postTermsOf('#京都の喫茶店', AT).slice(1)).toEqual(postTermsOf('京都の喫茶店', AT));
  });

  it('have those of pairs of usual words behind them, each once', () => {
    const [is, it, , it2, is2, gap, pair, ...none] = postTermsOf('is it? coffee: it is', AT);
    expect([is, it]).toEqual([is2, it2]);
    expect(gap).toBe('0');
    expect(none).toEqual(['0', expect.not.stringContaining(pair)]);
    const [asked] = termQueryOf([keyword('it is')], [slot]).phrases;
    expect(none[1]).toBe(asked.other[0]);
    expect(termQueryOf([keyword('this coffee is it')], [slot]).phrases[0].other).not.toContain(asked.other[0]);
  });

  it('do not change from one release to the next, for they are stored', () => {
    expect(postTermsOf('Coffee #latte @demo', AT)).toEqual([
      '-5524977817747052876',
      '4411132558320038093',
      '6702450508475041102',
    ]);
  });
});

describe('what is asked', () => {
  it('of words is one list for each time, a word with its hashtag, a hashtag alone', () => {
    const asked = termQueryOf([keyword('coffee'), keyword('#latte')], [slot, slot + 1]);
    const [word, latte] = postTermsOf('coffee #latte', AT);
    expect(asked.phrases).toEqual([]);
    expect(asked.words).toHaveLength(2);
    expect(asked.words[0].any).toEqual([word, String(BigInt(word) | 1n), latte]);
    expect(termQueryOf([], [slot])).toEqual({ words: [], phrases: [] });
  });

  it.each([
    ['cold brew', 'we love cold brew here', true],
    ['cold brew', 'COLD #brew', true],
    ['cold brew', 'brew cold', false],
    ['cold brew', 'cold or brew', false],
    ['cold cold brew', 'cold brew cold', false],
    ['cold cold brew', 'cold cold brew', true],
    ['#cold brew', 'cold brew', false],
    ['a b c', 'a b and b c', false],
  ])('of "%s" in "%s" is a pattern', (phrase, text, fits) => {
    const { words, phrases } = termQueryOf([keyword(phrase)], [slot]);
    expect(words).toEqual([]);
    expect(new RegExp(phrases[0].pattern).test(postTermsOf(text, AT).join(','))).toBe(fits);
  });

  it('of a phrase has two different words for the index, the longest', () => {
    const [asked] = termQueryOf([keyword('a roastery of a kind')], [slot]).phrases;
    const [roastery, kind] = postTermsOf('roastery kind', AT);
    expect([asked.one[0], asked.other[0]]).toEqual([roastery, kind]);
    const [same] = termQueryOf([keyword('hum hum')], [slot]).phrases;
    expect(same.one).toEqual(same.other);
  });

  it('is nothing of what has no words', () => {
    expect(keywordOf('?!')).toBeUndefined();
    expect(keywordOf('https://coffee.example')).toBeUndefined();
  });
});

describe('the times of a window', () => {
  it('are all that it touches', () => {
    const start = slot * SLOT_MS;
    expect(slotsIn(start, start + SLOT_MS)).toEqual([slot]);
    expect(slotsIn(start, start + SLOT_MS + 1)).toEqual([slot, slot + 1]);
    expect(slotsIn(start + 1, start + 7 * 86_400_000 + 1)).toHaveLength(MAX_SLOTS);
    expect(slotsIn(start, start)).toEqual([]);
  });
});
