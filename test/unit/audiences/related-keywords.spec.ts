import {
  RELATED,
  relatedKeywords,
  TermCounts,
  eachTerm,
} from '../../../src/audiences/keyword-insights/related-keywords.rules.js';
import { STOP_WORDS, VOCABULARY } from '../../../src/audiences/keyword-insights/word-lists.js';
import { wordsIn } from '../../../src/common/text/words.js';

const of = (...texts: string[]) => {
  const counts = new TermCounts();
  for (const text of texts) counts.add(text);
  return counts;
};
const repeated = (count: number, text: string) => Array.from({ length: count }, () => text);

describe('the terms of a text', () => {
  it.each([
    ['words, hashtags and pairs', 'Cold brew #Coffee', ['cold', 'brew', 'cold brew', '#coffee']],
    ['each once', 'brew brew BREW', ['brew']],
    ['no stop words, and no pairs over them', 'the brew of the day at home', ['brew', 'home']],
    ['no numbers, single letters, mentions, links or pictures', '3 x @beans ☕ https://a.example 2nd', ['2nd']],
    ['no pairs over what is between', 'cold #a brew', ['cold', '#a', 'brew']],
    ['Japanese without spaces', '京都 喫茶店', ['京都', '喫茶店', '京都喫茶店']],
  ])('are %s', (_, text, expected) => {
    const shown = new Set<string>();
    eachTerm(text, (_key, show) => shown.add(show()));
    expect([...shown].sort()).toEqual(expected.sort());
  });

  it('count once in a post', () => {
    const counts = of('brew brew #brew', 'brew', 'tea');
    expect([counts.posts, counts.of('brew'), counts.of('#brew'), counts.of('none')]).toEqual([3, 2, 1, 0]);
  });
});

describe('related keywords', () => {
  it('are ordered by how much more often they are said with the input, and how often that is', () => {
    const matching = of(
      ...repeated(50, 'zorp marzipan weather'),
      ...repeated(50, 'zorp almond weather'),
      'zorp unicorn',
    );
    const average = of(...repeated(900, 'weather'), ...repeated(60, 'almond'), ...repeated(40, 'marzipan'));
    const related = relatedKeywords(['zorp'], matching, average);
    const place = (term: string) => related.indexOf(term);
    expect(place('marzipan')).toBeGreaterThanOrEqual(0);
    expect(place('marzipan')).toBeLessThan(place('almond'));
    expect(place('unicorn')).toBeGreaterThan(place('almond'));
    expect(related).toHaveLength(RELATED);
  });

  it('are not what is said as often without the input', () => {
    const average = of(...repeated(100, 'weather umbrella'));
    expect(relatedKeywords(['zorp'], of('zorp weather', 'zorp tea'), average)).not.toContain('weather');
  });

  it('leave out the input, a word like its hashtag, and the words of phrases', () => {
    const matching = of('cold brew coffee #coldbrew #brew filter brew');
    const related = relatedKeywords(['Cold Brew', '#coldbrew'], matching, matching);
    for (const never of ['cold', 'brew', 'cold brew', '#coldbrew', '#brew', 'coldbrew'])
      expect(related).not.toContain(never);
    expect(related).toEqual(expect.arrayContaining(['coffee', 'filter', 'brew coffee', 'filter brew']));
  });

  it('are the same whenever they are asked', () => {
    const texts = Array.from({ length: 200 }, (_, n) => `zorp alpha${n % 40} beta${n % 7} #tag${n % 11}`);
    const ask = (all: string[]) => relatedKeywords(['zorp'], of(...all), of(...texts));
    expect(ask([...texts].reverse())).toEqual(ask(texts));
  });

  it('are always thirty different ones, whatever ten keywords leave out of the vocabulary', () => {
    const uses = new Map<string, number>();
    for (const term of VOCABULARY) for (const { key } of wordsIn(term)) uses.set(key, (uses.get(key) ?? 0) + 1);
    const usual = [...uses].sort((a, b) => b[1] - a[1]).slice(0, 10);
    const related = relatedKeywords(
      usual.map(([word]) => word),
      of(),
      of(),
    );
    expect(new Set(related).size).toBe(RELATED);
    expect(new Set(VOCABULARY).size).toBe(VOCABULARY.length);
    // even if each keyword were a phrase of the most usual words there would be enough
    expect(VOCABULARY.length).toBeGreaterThan(RELATED + 10 * 5);
  });

  it('are thirty where the vocabulary itself is said', () => {
    const matching = of(...VOCABULARY.slice(0, 40));
    expect(new Set(relatedKeywords(['zorp'], matching, matching)).size).toBe(RELATED);
  });
});

describe('stop words', () => {
  it('are words as they are compared', () => {
    for (const word of ['the', "don't", 'für', 'que', 'это', 'は', '的']) expect(STOP_WORDS.has(word)).toBe(true);
    expect(STOP_WORDS.has('coffee')).toBe(false);
  });
});
