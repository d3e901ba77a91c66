import { Readable } from 'node:stream';
import fc from 'fast-check';
import { endsAsArchive } from '../../../src/creatives/media-inspection/archive.rules.js';
import { decodedBase64, decodingBase64 } from '../../../src/common/http/bodies/base64.js';
import { bmpSizeOf } from '../../../src/creatives/media-inspection/image-format.rules.js';
import { CATEGORY_LIMITS, videoFaultOf } from '../../../src/creatives/media-inspection/media-limits.js';
import { foreignSignature, mediaKindOf } from '../../../src/creatives/media-inspection/media-kind.js';
import { mediaIdOf, mediaKeyOf, posterKeyOf } from '../../../src/creatives/media-files/media-key.js';
import { topBoxesOf } from '../../../src/creatives/media-inspection/video-layout.rules.js';
import { bmp } from '../../support/media/files.js';

describe('base64', () => {
  const streamed = async (pieces: string[]): Promise<Buffer> => {
    const read: Buffer[] = [];
    const decoded = Readable.from(pieces.map((piece) => Buffer.from(piece))).pipe(decodingBase64('media_data'));
    for await (const piece of decoded as AsyncIterable<Buffer>) read.push(piece);
    return Buffer.concat(read);
  };

  it('is decoded as a whole and in pieces alike, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array(),
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom('base64', 'base64url'),
        async (bytes, step, alphabet) => {
          const text = Buffer.from(bytes).toString(alphabet);
          const pieces = text.match(new RegExp(`.{1,${step}}`, 'g')) ?? [];
          expect(decodedBase64(text, 'media_data').equals(Buffer.from(bytes))).toBe(true);
          expect((await streamed(pieces)).equals(Buffer.from(bytes))).toBe(true);
        },
      ),
    );
  });

  it.each(['a', 'ab=c', 'abcd=', 'ab!d', 'äbcd', 'abc=abcd'])('is not %s', async (text) => {
    expect(() => decodedBase64(text, 'media_data')).toThrow('Expected base64 for media_data');
    await expect(streamed([text])).rejects.toThrow('Expected base64 for media_data');
  });

  it.each(['QUJD\r\nREU=', ' Q U\tJDREU = '])('may be broken into lines: %j', async (text) => {
    expect(decodedBase64(text, 'media_data').toString()).toBe('ABCDE');
    expect((await streamed([...text])).toString()).toBe('ABCDE');
  });

  it('is not a flood of padding', () => {
    const flood = `${'='.repeat(500_000)}A`;
    expect(() => decodedBase64(flood, 'media_data')).toThrow('Expected base64 for media_data');
  });
});

describe('what a file is', () => {
  it('is read from its bytes', async () => {
    expect(await mediaKindOf(bmp(), null)).toEqual({ mediaType: 'IMAGE', contentType: 'image/bmp', ending: 'bmp' });
    await expect(mediaKindOf(Buffer.from('%PDF-1.7 '), null)).rejects.toThrow('application/pdf');
    await expect(mediaKindOf(Buffer.alloc(0), null)).rejects.toThrow('is empty');
  });

  it('is one thing', () => {
    expect(foreignSignature(Buffer.from('GIF89a <SCRIPT>'))).toBe('<script');
    expect(foreignSignature(Buffer.concat([Buffer.alloc(1_024), Buffer.from('<script>')]))).toBeUndefined();
    const directory = Buffer.from(`PK\x05\x06${'\0'.repeat(16)}\x02\0ab`, 'latin1');
    expect(endsAsArchive(Buffer.concat([Buffer.alloc(50), directory]))).toBe(true);
    expect(endsAsArchive(directory)).toBe(true);
    expect(endsAsArchive(Buffer.concat([directory, Buffer.alloc(50)]))).toBe(false);
    expect(endsAsArchive(Buffer.from('PK\x05\x06'))).toBe(false);
  });
});

describe('a BMP image', () => {
  it('is as wide and high as it says, from whichever end its rows begin', () => {
    const upsideDown = bmp(40, 30);
    upsideDown.writeInt32LE(-30, 22);
    for (const bytes of [bmp(40, 30), upsideDown]) expect(bmpSizeOf(bytes)).toEqual({ width: 40, height: 30 });
  });

  it('is cut off where its last row ends early, or where its rows begin within the header', () => {
    const whole = bmp(40, 30);
    const early = Buffer.from(whole);
    early.writeUInt32LE(53, 10);
    for (const bytes of [whole.subarray(0, -1), whole.subarray(0, 54), early])
      expect(bmpSizeOf(bytes)).toBe('is a BMP image that is cut off');
  });

  it('is refused in words, whatever its bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const found = bmpSizeOf(Buffer.concat([Buffer.from('BM'), Buffer.from(bytes)]));
        expect(typeof found === 'string' || (found.width > 0 && found.height > 0)).toBe(true);
      }),
    );
  });
});

describe('the boxes of a video', () => {
  const box = (type: string, length: number) => {
    const bytes = Buffer.alloc(length);
    bytes.writeUInt32BE(length, 0);
    bytes.write(type, 4, 'latin1');
    return bytes;
  };
  const boxesOf = (bytes: Buffer) => topBoxesOf(async (start, end) => bytes.subarray(start, end), bytes.length);

  it('follow each other to the end of the file', async () => {
    const file = Buffer.concat([box('ftyp', 24), box('moov', 100), box('mdat', 200_000), box('free', 8)]);
    expect(await boxesOf(file)).toEqual([
      { type: 'ftyp', start: 0, end: 24 },
      { type: 'moov', start: 24, end: 124 },
      { type: 'mdat', start: 124, end: 200_124 },
      { type: 'free', start: 200_124, end: 200_132 },
    ]);
    for (const end of [1, 7, 23, 124, 130, 200_000, 200_131])
      expect(await boxesOf(file.subarray(0, end))).toEqual(expect.any(String));
  });

  it('may be without a length where they are last', async () => {
    const last = box('mdat', 500);
    last.writeUInt32BE(0, 0);
    expect(await boxesOf(Buffer.concat([box('moov', 8), last]))).toMatchObject([{}, { start: 8, end: 508 }]);
  });

  it('end, whatever a file is made of', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
        const found = await boxesOf(Buffer.from(bytes));
        if (typeof found !== 'string') expect(found.at(-1)?.end).toBe(bytes.length);
      }),
    );
  });
});

describe('a video', () => {
  const video = { width: 1280, height: 720, duration: 10, codec: 'avc' };
  const { POST_VIDEO, AMPLIFY_VIDEO } = CATEGORY_LIMITS;

  it.each([
    [{}, undefined],
    [{ duration: 0.5 }, undefined],
    [{ duration: 140 }, undefined],
    [{ duration: 0.499 }, '0.499 seconds'],
    [{ duration: 140.001 }, '140.001 seconds'],
    [{ duration: NaN }, 'seconds'],
    [{ duration: Infinity }, 'seconds'],
    [{ width: 31 }, 'a side must have'],
    [{ height: 4097 }, 'a side must have'],
    [{ width: NaN }, 'a side must have'],
    [{ codec: undefined }, 'in an unknown format'],
  ])('with %j', (change, says) => {
    const fault = videoFaultOf({ ...video, ...change }, POST_VIDEO);
    if (says === undefined) expect(fault).toBeUndefined();
    else expect(fault).toContain(says);
  });

  it('in a stream may take ten minutes', () => {
    expect(videoFaultOf({ ...video, duration: 600 }, AMPLIFY_VIDEO)).toBeUndefined();
    expect(videoFaultOf({ ...video, duration: 601 }, AMPLIFY_VIDEO)).toContain('0.5 to 600');
  });
});

it('a media key is the number of its category, and the id of its medium', () => {
  expect(mediaKeyOf('AMPLIFY_VIDEO', '12')).toBe('13_12');
  expect(posterKeyOf('12')).toBe('3_12');
  expect(mediaIdOf('16_12')).toBe('12');
});
