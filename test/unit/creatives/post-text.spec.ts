import fc from 'fast-check';
import twitterText from 'twitter-text';
import {
  beginsWithMention,
  compatOf,
  displayRangeOf,
  entitiesOf,
  languageOf,
  codePointsIn,
  MAX_TEXT_LENGTH,
  screenNamesIn,
  textProblems,
  weightOf,
  type Indices,
} from '../../../src/creatives/composition/post-text.rules.js';

const BEANS = { id: '1000000000000001', username: 'Beans', name: 'Beans & Co' };
const cut = (text: string, [start, end]: Indices) => [...text].slice(start, end).join('');

describe('the weight of a text', () => {
  it.each([
    ['letters', 'Coffee', 6],
    ['letters with accents', 'Café', 4],
    ['an emoji', '☕️', 2],
    ['a family of four', '👨‍👩‍👧‍👦', 2],
    ['Japanese', 'コーヒー', 8],
    ['a link, however short', 'http://a.co', 23],
    ['a link, however long', `https://example.com/${'x'.repeat(300)}`, 23],
    ['a link without its scheme', 'example.com', 23],
  ])('of %s', (_, text, weight) => expect(weightOf(text)).toBe(weight));

  it('of 280 is the most', () => {
    expect(textProblems('x'.repeat(280))).toEqual([]);
    expect(textProblems('漢'.repeat(140))).toEqual([]);
    for (const text of ['x'.repeat(281), '漢'.repeat(141)]) {
      expect(textProblems(text)).toMatchObject([
        { status: 400, code: 'INVALID_PARAMETER', detail: { parameter: 'text' } },
      ]);
    }
  });

  it('counts links by 23 up to the limit', () => {
    const link = `https://example.com/${'x'.repeat(100)}`;
    expect(textProblems(`${'x'.repeat(256)} ${link}`)).toEqual([]);
    expect(textProblems(`${'x'.repeat(257)} ${link}`)).toHaveLength(1);
  });

  it('leaves no room for characters that nobody sees', () => {
    for (const character of ['\uFEFF', '\uFFFE', '\uFFFF']) {
      expect(textProblems(`a${character}b`)).toMatchObject([{ detail: { parameter: 'text' } }]);
    }
  });
});

describe('entities', () => {
  const text = '😀 @beans #latte $BEAN at https://www.example.com/very/long/path/to/the/blend or example.org/';

  it('are hashtags, symbols, mentions of users that there are, and links', () => {
    const { hashtags, symbols, user_mentions, urls } = entitiesOf(text, [BEANS]);
    expect(hashtags).toEqual([{ text: 'latte', indices: [9, 15] }]);
    expect(symbols).toEqual([{ text: 'BEAN', indices: [16, 21] }]);
    expect(user_mentions).toEqual([
      { screen_name: 'Beans', name: 'Beans & Co', id: 1000000000000001, id_str: '1000000000000001', indices: [2, 8] },
    ]);
    expect(urls.map(({ expanded_url, display_url }) => [expanded_url, display_url])).toEqual([
      ['https://www.example.com/very/long/path/to/the/blend', 'example.com/very/long/path…'],
      ['http://example.org/', 'example.org'],
    ]);
    expect(entitiesOf(text).user_mentions).toEqual([]);
  });

  it('name whom a text may mention, each once', () => {
    expect(screenNamesIn('@Beans and @BEANS, @roast, @beans/list, a@b.example')).toEqual(['beans', 'roast']);
    expect(entitiesOf('a list: @beans/list', [BEANS]).user_mentions).toEqual([]);
    expect(screenNamesIn('nobody')).toEqual([]);
  });

  it('tell whether a post begins a conversation', () => {
    expect(beginsWithMention(entitiesOf('@beans thanks', [BEANS]))).toBe(true);
    expect(beginsWithMention(entitiesOf('thanks @beans', [BEANS]))).toBe(false);
    expect(beginsWithMention(entitiesOf('@nobody thanks', [BEANS]))).toBe(false);
  });

  it('stand where their indices say, in whatever text', () => {
    const words = fc.constantFrom('#one', '$TWO', '@beans', 'https://a.co/b', '😀', 'コーヒー', 'é', 'x', '👨‍👩‍👧', '\n');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
        const whole = parts.join(' ');
        const { hashtags, symbols, user_mentions, urls } = entitiesOf(whole, [BEANS]);
        for (const tag of hashtags) expect(cut(whole, tag.indices)).toBe(`#${tag.text}`);
        for (const symbol of symbols) expect(cut(whole, symbol.indices)).toBe(`$${symbol.text}`);
        for (const mention of user_mentions) expect(cut(whole, mention.indices)).toBe('@beans');
        for (const url of urls) expect(cut(whole, url.indices)).toBe(url.url);
        expect(hashtags).toHaveLength(parts.filter((part) => part === '#one').length);
        expect(user_mentions).toHaveLength(parts.filter((part) => part === '@beans').length);
        expect(urls).toHaveLength(parts.filter((part) => part.startsWith('https')).length);
      }),
    );
  });

  it('have positions in code points, also within a hashtag', () => {
    expect(entitiesOf('😀 #𐤀b x').hashtags).toEqual([{ text: '𐤀b', indices: [2, 5] }]);
  });

  it('are found in any text, and quickly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (whole) => {
        const [start, end] = displayRangeOf(whole);
        expect([start, end]).toEqual([0, codePointsIn(whole)]);
        for (const { indices } of Object.values(entitiesOf(whole)).flat()) expect(indices[1]).toBeLessThanOrEqual(end);
        expect(weightOf(whole)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('what is known without looking closer', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'a',
      ' ',
      '#tag',
      '.',
      '.com',
      '@bean',
      '$BEAN',
      '\u00e9',
      '\u4e2d',
      '\ud83d\ude00',
      '\n',
      'e\u0301',
      '\0',
    ),
    fc.string({ unit: 'grapheme-ascii', maxLength: 5 }),
  );

  it('is what looking closer says', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        expect(weightOf(text)).toBe(twitterText.parseTweet(text).weightedLength);
        expect(codePointsIn(text)).toBe([...text].length);
      }),
    );
  });
});

describe('the compat mode', () => {
  it('shows a short text as it is', () => {
    const entities = entitiesOf('#latte');
    expect(compatOf('#latte', entities)).toEqual({ text: '#latte', truncated: false, entities });
  });

  it('cuts a long text to 140 characters, and leaves out the entities behind', () => {
    const text = `#latte ${'😀'.repeat(131)} #tail`;
    const shortened = compatOf(text, entitiesOf(text));
    expect(shortened.truncated).toBe(true);
    expect(codePointsIn(shortened.text)).toBe(140);
    expect(shortened.text.endsWith('…')).toBe(true);
    expect(shortened.entities.hashtags.map((tag) => tag.text)).toEqual(['latte']);
  });
});

describe('the language of a text', () => {
  it.each([
    ['コーヒーができました', 'ja'],
    ['新しいブレンド #coffee', 'ja'],
    ['咖啡来了', 'zh'],
    ['커피 나왔어요', 'ko'],
    ['ο καφές είναι έτοιμος', 'el'],
    ['הקפה מוכן', 'he'],
    ['กาแฟพร้อมแล้ว', 'th'],
    ['Our new blend is here', 'und'],
    ['Кофе готов', 'und'],
    ['The word for coffee is 咖啡, as everybody knows', 'und'],
    ['', 'und'],
    ['50 % ☕️', 'und'],
    ['@beans #コーヒー https://example.jp/コーヒー', 'ja'],
  ])('%s: %s', (text, language) => expect(languageOf(text)).toBe(language));
});

describe('a hostile text', () => {
  it.each(['a.', 'a-', '@a', '#', '(', 'http://', 'x.com/', '😀', '.com '])('of %s is judged', (part) => {
    const text = part.repeat(MAX_TEXT_LENGTH / part.length);
    expect(typeof weightOf(text)).toBe('number');
    expect(Object.keys(entitiesOf(text))).toHaveLength(4);
  });
});
