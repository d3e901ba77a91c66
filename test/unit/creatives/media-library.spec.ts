import fc from 'fast-check';
import { creativeTypeOf } from '../../../src/creatives/account-media/account-media.entity.js';
import {
  aspectRatioOf,
  searchTermsOf,
  mediaTermsOf,
  videoOnlyFaults,
  wordsOf,
} from '../../../src/creatives/media-library/library-media.rules.js';

describe('the words of a text', () => {
  it.each([
    ['Autumn beans, 2026', ['autumn', 'beans', '2026']],
    ['beans BEANS Beans', ['beans']],
    ['IMG_0042.final-v2.JPG', ['img', '0042', 'final', 'v2', 'jpg']],
    ['ＦＵＬＬ ﬁne', ['full', 'fine']],
    ['Cafe\u0301 crème', ['café', 'crème']],
    ['東京 タワー', ['東京', 'タワー']],
    ['हिन्दी', ['हिन्दी']],
    ['🫘 ☕️ --', []],
    ['', []],
  ])('%s', (text, words) =>
    expect(
      wordsOf(text)
        .map((word) => word.replace(/\ufe0f/g, ''))
        .filter(Boolean),
    ).toEqual(words),
  );

  it('find the text that they are of, however it is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const terms = mediaTermsOf('a1', { name: text, title: null, fileName: null, description: null });
        const asked = searchTermsOf('a1', text.toUpperCase().toLowerCase());
        expect(terms.every((term) => term.startsWith('a1 ') && !/\s/.test(term.slice(3)))).toBe(true);
        if (asked) expect(asked.every((term) => !term.endsWith(' '))).toBe(true);
        expect(searchTermsOf('a1', text) ?? []).toEqual(terms);
      }),
    );
  });

  it('are those of all four fields, each once, of this account', () => {
    const texts = { name: 'One two', title: 'two three', fileName: 'three.png', description: null };
    expect(mediaTermsOf('18ce', texts)).toEqual(['18ce one', '18ce two', '18ce three', '18ce png']);
    expect(searchTermsOf('18ce', ' - ')).toBeUndefined();
  });
});

describe('an aspect ratio', () => {
  it.each([
    [1920, 1080, '16:9'],
    [1280, 720, '16:9'],
    [500, 316, '125:79'],
    [800, 800, '1:1'],
    [1, 4000, '1:4000'],
  ])('%i x %i is %s', (width, height, ratio) => expect(aspectRatioOf(width, height)).toBe(ratio));
});

describe('what only videos have', () => {
  const media = { mediaId: '5', title: null, description: null, posterMediaKey: null };
  const faults = (...args: Parameters<typeof videoOnlyFaults>) =>
    videoOnlyFaults(...args).map(({ code, detail }) => [code, detail.parameter]);
  const sent = { title: 'x', description: null, poster_media_key: '3_1' };

  it('is refused for images and GIFs, unless it is unset', () => {
    for (const [mediaType, mediaKey] of [
      ['IMAGE', '3_5'],
      ['GIF', '16_5'],
    ] as const)
      expect(faults({ ...media, mediaType, mediaKey }, sent)).toEqual([
        ['INVALID_PARAMETER', 'poster_media_key'],
        ['INVALID_PARAMETER', 'title'],
      ]);
    expect(faults({ ...media, mediaType: 'VIDEO', mediaKey: '7_5' }, sent)).toEqual([]);
  });

  it('comes back from a GIF as it was shown', () => {
    const stored = { ...media, mediaType: 'GIF', mediaKey: '16_5', title: 'x', posterMediaKey: '3_1' } as const;
    expect(faults(stored, sent)).toEqual([]);
    expect(faults(stored, { title: 'y', poster_media_key: '3_2' })).toHaveLength(2);
    // its first frame is what it shows without a poster
    expect(faults({ ...stored, posterMediaKey: null }, { poster_media_key: '3_5' })).toEqual([]);
    const image = { ...media, mediaType: 'IMAGE', mediaKey: '3_5' } as const;
    expect(faults(image, { poster_media_key: '3_5' })).toEqual([['INVALID_PARAMETER', 'poster_media_key']]);
  });
});

describe('as what a medium is an advertisement by itself', () => {
  it.each([
    [320, 50, 'BANNER'],
    [728, 90, 'BANNER_TABLET'],
    [320, 480, 'INTERSTITIAL'],
    [480, 320, 'INTERSTITIAL_LANDSCAPE'],
    [1024, 768, 'INTERSTITIAL_LANDSCAPE_TABLET'],
    [768, 1024, 'INTERSTITIAL_TABLET'],
    [300, 250, 'MEDIUM_RECTANGLE'],
    [301, 250, undefined],
    [250, 300, undefined],
  ])('an image of %i x %i: %s', (width, height, type) => {
    expect(creativeTypeOf('POST_IMAGE', width, height)).toBe(type);
    expect(creativeTypeOf('POST_GIF', width, height)).toBeUndefined();
    expect(creativeTypeOf('POST_VIDEO', width, height)).toBeUndefined();
    expect(creativeTypeOf('AMPLIFY_VIDEO', width, height)).toBe('PREROLL');
  });
});
