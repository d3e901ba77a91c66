import fc from 'fast-check';
import { hasRatio, reducedRatio, videoRatio, type AspectRatio } from '../../../src/creatives/aspect-ratio.js';
import { MEDIA_NEEDS, mediaProblems } from '../../../src/creatives/card-content/card-media.rules.js';
import type { MediaType } from '../../../src/creatives/entities/media.entity.js';

const ACCOUNT = { id: 'account' };
const medium = (mediaType: MediaType, width: number, height: number, rest: object = {}) => ({
  mediaType,
  contentType: { IMAGE: 'image/jpeg', GIF: 'image/gif', VIDEO: 'video/mp4' }[mediaType],
  width,
  height,
  size: 1_000,
  ...rest,
});
type Need = keyof typeof MEDIA_NEEDS;

/** What is said of a medium in some place. */
const said = (need: Need, of: ReturnType<typeof medium>) =>
  mediaProblems(
    ACCOUNT,
    [{ parameter: 'media_key', mediaKey: 'K', need: MEDIA_NEEDS[need] }],
    new Map([['K', of]]),
  ).map(({ code, message, detail }) => `${code} ${message}: ${detail.details}`);

describe('media of cards', () => {
  it.each<[Need, MediaType, number, number]>([
    ['COMPONENT', 'IMAGE', 1200, 628],
    ['COMPONENT', 'IMAGE', 800, 418],
    ['COMPONENT', 'IMAGE', 800, 419],
    ['COMPONENT', 'IMAGE', 800, 800],
    ['COMPONENT', 'VIDEO', 1280, 720],
    ['COMPONENT', 'VIDEO', 640, 360],
    ['COMPONENT', 'VIDEO', 400, 400],
    ['CONVERSATION_IMAGE', 'IMAGE', 1200, 628],
    ['CONVERSATION_VIDEO', 'VIDEO', 1366, 768],
    ['POSTER', 'IMAGE', 100, 900],
    ['UNLOCKED_IMAGE', 'IMAGE', 800, 320],
    ['UNLOCKED_VIDEO', 'VIDEO', 100, 900],
    ['POLL', 'IMAGE', 1200, 628],
    ['POLL', 'VIDEO', 1920, 1080],
  ])('%s takes %s %i x %i', (need, type, width, height) => {
    expect(said(need, medium(type, width, height))).toEqual([]);
  });

  const ratio = (expected: string) => `: Expected an aspect ratio of ${expected}`;
  it.each<[Need, MediaType, number, number, string[]]>([
    ['COMPONENT', 'GIF', 800, 800, ['is of type GIF, not IMAGE or VIDEO: Expected media of type IMAGE or VIDEO']],
    ['COMPONENT', 'IMAGE', 799, 418, ['is 799 pixels wide: Expected a width of at least 800 pixels']],
    ['COMPONENT', 'IMAGE', 1600, 900, [`is 1600 x 900 pixels${ratio('1:1 or 1.91:1')}`]],
    ['COMPONENT', 'VIDEO', 1200, 628, [`is 1200 x 628 pixels${ratio('16:9 or 1:1')}`]],
    ['CONVERSATION_IMAGE', 'IMAGE', 800, 800, [`is 800 x 800 pixels${ratio('1.91:1')}`]],
    ['CONVERSATION_IMAGE', 'VIDEO', 1600, 900, ['is of type VIDEO, not IMAGE: Expected media of type IMAGE']],
    ['CONVERSATION_VIDEO', 'VIDEO', 800, 800, [`is 800 x 800 pixels${ratio('16:9')}`]],
    ['POSTER', 'VIDEO', 1600, 900, ['is of type VIDEO, not IMAGE: Expected media of type IMAGE']],
    [
      'UNLOCKED_IMAGE',
      'IMAGE',
      640,
      360,
      ['is 640 pixels wide: Expected a width of at least 800 pixels', `is 640 x 360 pixels${ratio('5:2')}`],
    ],
    ['UNLOCKED_VIDEO', 'IMAGE', 800, 800, ['is of type IMAGE, not VIDEO: Expected media of type VIDEO']],
    ['POLL', 'IMAGE', 800, 800, [`is 800 x 800 pixels${ratio('1.91:1')}`]],
    ['POLL', 'VIDEO', 800, 800, [`is 800 x 800 pixels${ratio('16:9')}`]],
  ])('%s refuses %s %i x %i', (need, type, width, height, expected) => {
    expect(said(need, medium(type, width, height))).toEqual(expected.map((each) => `INVALID_MEDIA Media K ${each}`));
  });

  it('look at bytes and format of images, and say where there is nothing', () => {
    const largest = 3 * 1024 * 1024;
    expect(said('COMPONENT', medium('IMAGE', 800, 800, { size: largest }))).toEqual([]);
    expect(said('COMPONENT', medium('IMAGE', 800, 800, { size: largest + 1 }))).toHaveLength(1);
    expect(said('COMPONENT', medium('VIDEO', 800, 800, { size: largest + 1 }))).toEqual([]);
    expect(said('COMPONENT', medium('IMAGE', 800, 800, { contentType: 'image/webp' }))).toHaveLength(1);
    const named = [{ parameter: 'media_key', mediaKey: '3_9', need: MEDIA_NEEDS.POLL }];
    expect(mediaProblems(ACCOUNT, named, new Map())).toMatchObject([
      { code: 'INVALID_MEDIA_ID', detail: { parameter: 'media_key', value: '3_9' } },
    ]);
  });
});

describe('ratios', () => {
  const values: Record<AspectRatio, number> = { '1:1': 1, '1.91:1': 1.91, '16:9': 16 / 9, '5:2': 2.5 };
  it('fit whatever whole pixels come nearest, and never two of them', () => {
    const names = Object.keys(values) as AspectRatio[];
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 8_000 }), fc.constantFrom(...names), (width, name) => {
        const size = { width, height: Math.round(width / values[name]) };
        expect(names.filter((each) => hasRatio(size, each))).toEqual([name]);
      }),
    );
  });

  it('are told in small numbers', () => {
    expect(videoRatio({ width: 1366, height: 768 })).toEqual({ width: 16, height: 9 });
    expect(reducedRatio({ width: 1366, height: 768 })).toEqual({ width: 683, height: 384 });
    expect(videoRatio({ width: 600, height: 600 })).toEqual({ width: 1, height: 1 });
    expect(reducedRatio({ width: 500, height: 316 })).toEqual({ width: 125, height: 79 });
    expect(reducedRatio({ width: 720, height: 1280 })).toEqual({ width: 9, height: 16 });
  });
});
