import fc from 'fast-check';
import { wordsIn, wordsInUnicode } from '../../../src/common/text/words.js';

const keys = (text: string) => wordsIn(text).map(({ kind, key }) => (kind === 'word' ? key : `${kind} ${key}`.trim()));

describe('the words of a text', () => {
  it.each([
    ['letters and digits', 'Two coffees, 3.5 euros', ['two', 'coffees', '3', '5', 'euros']],
    ['with apostrophes inside of them', "Don't say ‘it’s’ 'twice'", ["don't", 'say', "it's", 'twice']],
    ['with underscores inside of them', '_one_ snake_case', ['one', 'snake_case']],
    ['without hyphens', 'cold-brew', ['cold', 'brew']],
    ['with marks', 'Ca\u0301fe\u0301 naïve', ['cáfé', 'naïve']],
    ['hashtags', 'I love #Coffee!', ['i', 'love', 'hashtag coffee']],
    ['no hashtag without a letter, or within a word', '#1 a#b &#x', ['1', 'a', 'b', 'x']],
    ['mentions, but no addresses', '@Beans me@example.com', ['mention beans', 'me', 'example', 'com']],
    ['links', 'see https://example.com/coffee?x=1 or www.example.com', ['see', 'link', 'or', 'link']],
    ['pictures', 'ok ☕️👍🏽 👨‍👩‍👧 🇯🇵', ['ok', 'emoji ☕', 'emoji 👍🏽', 'emoji 👨‍👩‍👧', 'emoji 🇯🇵']],
    ['Japanese', '京都でコーヒーを。', ['京都', 'で', 'コーヒー', 'を']],
    ['Chinese', '我喜欢喝咖啡', ['我', '喜欢', '喝', '咖啡']],
    ['Thai', 'ฉันชอบกาแฟ', ['ฉัน', 'ชอบ', 'กาแฟ']],
    ['Korean', '커피 한잔', ['커피', '한잔']],
    ['Russian', 'Люблю КОФЕ', ['люблю', 'кофе']],
    ['nothing', ' ... !? — ', []],
  ])('%s', (_, text, expected) => expect(keys(text)).toEqual(expected));

  it.each([
    ['case', 'COFFEE', 'coffee'],
    ['width', 'ＣＯＦＦＥＥ　ｺｰﾋｰ', 'coffee コーヒー'],
    ['composition', 'café', 'cafe\u0301'],
    ['capitals of several letters', 'STRASSE', 'straße'],
    ['the small sigma at an end', 'ΟΔΟΣ', 'οδος'],
    ['what is not seen', 'so\u00ADlo می\u200Cخواهم', 'solo میخواهم'],
    ['the hash of another width', '＃Coffee', '#coffee'],
    ['the looks of a picture', '☕', '☕\uFE0F'],
    ['apostrophes', 'it’s', "it's"],
  ])('do not differ by %s', (_, one, other) => expect(keys(one)).toEqual(keys(other)));

  it('of a hashtag are told where its script has several without anything between them', () => {
    expect(wordsIn('#京都の喫茶店')).toMatchObject([
      { kind: 'hashtag', key: '京都の喫茶店', parts: [{ key: '京都' }, { key: 'の' }, { key: '喫茶店' }] },
    ]);
    for (const tag of ['#coffee', '#京都']) expect(wordsIn(tag)[0].parts).toBeUndefined();
  });

  it('are the same whatever stands around them', () => {
    const word = fc.constantFrom('coffee', "don't", '#brew', '@beans', 'über', 'コーヒー', '커피', '☕', 'snake_case');
    const between = fc.constantFrom(' ', ', ', '! ', ' — ', '\n', '。 ');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, between), { maxLength: 20 }), (parts) => {
        const text = parts.map(([said, gap]) => said + gap).join('');
        expect(keys(text)).toEqual(parts.flatMap(([said]) => keys(said)));
      }),
    );
  });

  it('of ASCII are those of any text', () => {
    const part = fc.constantFrom('a', 'B', '1', '_', "'", '#', '@', '&', '.', ' ', '/', 'http://', 'www.', 'x');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        expect(wordsIn(parts.join(''))).toEqual(wordsInUnicode(parts.join('')));
      }),
      { numRuns: 2_000 },
    );
  });

  it('of any text are found in time, and those found are words themselves', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 280 }), (text) => {
        for (const { kind, key } of wordsIn(text)) {
          if (kind !== 'word') continue;
          expect(keys(key).join('')).toBe(key);
        }
      }),
    );
    const began = performance.now();
    for (const text of [
      "a'".repeat(1_000),
      '_'.repeat(2_000),
      'a_'.repeat(1_000),
      '#'.repeat(2_000),
      '\u200Da'.repeat(1_000),
    ])
      wordsIn(text);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
