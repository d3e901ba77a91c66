import fc from 'fast-check';
import {
  manyBoxes,
  manyEdits,
  runsFromNowhere,
  samplesFromNowhere,
  sortedFromNowhere,
} from '../../../scripts/proofs/support/hostile-videos.js';
import { faultOfParts } from '../../../src/creatives/media-inspection/image-parts.rules.js';
import { VideoBoxes } from '../../../src/creatives/media-inspection/video-boxes.rules.js';
import { gif, jpeg, mp4, png, webp } from '../../support/media/files.js';

/** The boxes of a file at its top level that describe media. */
function describing(file: Buffer): Buffer[] {
  const boxes: Buffer[] = [];
  for (let at = 0; at < file.length; at += file.readUInt32BE(at)) {
    const type = file.toString('latin1', at + 4, at + 8);
    if (['moov', 'moof', 'mfra'].includes(type)) boxes.push(file.subarray(at, at + file.readUInt32BE(at)));
  }
  return boxes;
}

function faultOf(file: Buffer): string | undefined {
  const rules = new VideoBoxes();
  return describing(file)
    .map((box) => rules.faultOf(box))
    .find((fault) => fault !== undefined);
}

const box = (type: string, ...content: Buffer[]): Buffer => {
  const bytes = Buffer.concat([Buffer.alloc(8), ...content]);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.write(type, 4, 'latin1');
  return bytes;
};
const u32 = (...values: number[]) =>
  Buffer.concat(values.map((value) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])));
const inTable = (...tables: Buffer[]) => box('moov', box('trak', box('mdia', box('minf', box('stbl', ...tables)))));

describe('the boxes that describe a video', () => {
  it.each([
    ['whole', {}],
    ['with the description first', { fastStart: true }],
    ['in fragments', { fastStart: 'fragmented', seconds: 20 }],
    ['of ten minutes', { seconds: 600, frameBytes: 5, framesPerSecond: 60 }],
  ] as const)('are taken where the video is right: %s', async (_name, shape) => {
    expect(faultOf(await mp4(shape))).toBeUndefined();
  });

  it.each([
    [
      '20,000,000 samples without bytes',
      samplesFromNowhere(),
      '"moof" of 20000000 samples; at most 300000 are allowed',
    ],
    ['many runs of samples', runsFromNowhere(10_000, 2_000), 'samples; at most 300000'],
    ['samples that have to be sorted', sortedFromNowhere(), '"stts and ctts" of 20000000 samples'],
    ['900,000 edits', manyEdits(), '"elst" of 900000 entries; at most 1000'],
    ['many boxes', manyBoxes(150_000), 'more than 100000 boxes'],
  ])('are refused where they claim too much: %s', (_name, file, says) => {
    expect(faultOf(file)).toContain(says);
  });

  it.each([
    ['stts', u32(0, 3), 16],
    ['ctts', u32(0, 3), 16],
    ['stss', u32(0, 3), 8],
    ['stsc', u32(0, 3), 24],
    ['stco', u32(0, 3), 8],
    ['co64', u32(0, 3), 16],
    ['stsz', u32(0, 0, 3), 8],
    ['elst', u32(0, 3), 24],
  ])('count in %s what is there, and no more', (type, head, bytes) => {
    const entry = type === 'stsz' ? 4 : bytes / 2;
    expect(faultOf(inTable(box(type, head, Buffer.alloc(bytes + entry))))).toBeUndefined();
    expect(faultOf(inTable(box(type, head, Buffer.alloc(bytes))))).toContain(`"${type}" that declares 3 entries`);
    expect(faultOf(inTable(box(type, head.subarray(0, 4))))).toContain(`"${type}" that is cut off`);
  });

  it('may name samples of one size without a limit, as those of plain sound are', () => {
    expect(faultOf(inTable(box('stsz', u32(0, 4, 28_800_000)), box('stts', u32(0, 1, 28_800_000, 1))))).toBeUndefined();
  });

  it('lie in those around them', () => {
    const long = box('stts', u32(0, 0));
    long.writeUInt32BE(100, 0);
    expect(faultOf(inTable(long))).toContain('in a box that has only 16 bytes left');
    let deep = box('trak');
    for (let i = 0; i < 20; i++) deep = box('trak', deep);
    expect(faultOf(box('moov', deep))).toContain('nested more than');
  });

  it.each([
    [0, 0, 0],
    [0x1, 4, 0],
    [0x4, 4, 0],
    [0x105, 8, 4],
    [0xf00, 0, 16],
  ])('of a run with the flags %#x have %i bytes before its samples and %i for each', (flags, first, each) => {
    const run = (bytes: number) => box('moof', box('traf', box('trun', u32(flags, 3), Buffer.alloc(bytes))));
    expect(faultOf(run(first + 3 * each))).toBeUndefined();
    if (first + each > 0) expect(faultOf(run(first + 3 * each - 1))).toContain('"trun"');
  });

  it.each([
    [4, 5],
    [8, 10],
    [16, 20],
  ])('of samples with sizes of %i bits have %i bytes for ten', (bits, bytes) => {
    const table = (content: number) => inTable(box('stz2', u32(0, bits, 10), Buffer.alloc(content)));
    expect(faultOf(table(bytes))).toBeUndefined();
    expect(faultOf(table(bytes - 1))).toContain('"stz2" that declares 10 entries');
    for (const words of [0, 1, 2])
      expect(faultOf(inTable(box('stz2', u32(...Array<number>(words).fill(bits)))))).toContain(
        '"stz2" that is cut off',
      );
  });

  it.each([
    [0, 0, 8 + 3],
    [1, 0, 16 + 3],
    [0, 0b111111, 8 + 12],
    [0, 0b010000, 8 + 4],
    [0, 0b000110, 8 + 6],
  ])('of an index of version %i with the sizes %i have %i bytes for each entry', (version, sizes, each) => {
    const index = (bytes: number) =>
      box('mfra', box('tfra', u32(version * 0x1000000, 1, sizes, 5), Buffer.alloc(bytes)));
    expect(faultOf(index(5 * each))).toBeUndefined();
    expect(faultOf(index(5 * each - 1))).toContain('"tfra" that declares 5 entries');
  });

  it('of metadata follow a version and flags, or do not', () => {
    const edits = box('edts', box('elst', u32(0, 1_001), Buffer.alloc(12_012)));
    for (const content of [[u32(0), edits], [edits]])
      expect(faultOf(box('moov', box('trak', box('meta', ...content))))).toContain('"elst" of 1001 entries');
  });

  it('sort samples that are shown in another order, and only these', () => {
    const times = (type: string, samples: number) => box(type, u32(0, 1, samples, 0));
    expect(faultOf(inTable(times('stts', 300_001)))).toBeUndefined();
    expect(faultOf(inTable(times('stts', 300_000), times('ctts', 300_000)))).toBeUndefined();
    expect(faultOf(inTable(times('stts', 300_001), times('ctts', 1)))).toContain('of 300001 samples');
    expect(faultOf(inTable(times('stts', 1), times('ctts', 300_001)))).toContain('of 300001 samples');
  });

  it('may have sizes of 64 bits, and the last one goes to the end', () => {
    const long = (type: string, ...content: Buffer[]): Buffer => {
      const inside = Buffer.concat(content);
      return Buffer.concat([u32(1), Buffer.from(type, 'latin1'), u32(0, 16 + inside.length), inside]);
    };
    const entries = (count: number) => box('elst', u32(0, count), Buffer.alloc(12 * count));
    const after = (first: Buffer, count: number) => box('moov', box('trak', box('edts', first, entries(count))));
    expect(faultOf(after(long('free', Buffer.alloc(8)), 3))).toBeUndefined();
    expect(faultOf(after(long('free', Buffer.alloc(8)), 1_001))).toContain('"elst" of 1001 entries');
    expect(faultOf(after(long('free'), 1_001))).toContain('"elst" of 1001 entries');
    const rest = entries(1_001);
    rest.writeUInt32BE(0, 0);
    expect(faultOf(box('moov', box('trak', box('edts', rest))))).toContain('"elst" of 1001 entries');
  });

  it('are bounded over all fragments of a file', () => {
    const rules = new VideoBoxes();
    const run = (samples: number) => box('moof', box('traf', box('trun', u32(0, samples))));
    const faults = Array.from({ length: 10 }, () => rules.faultOf(run(300_000)));
    expect(faults).toEqual(Array(10).fill(undefined));
    expect(rules.faultOf(run(1))).toContain('more than 3000000 samples in its fragments');
  });

  it('are judged without an exception, whatever they are made of', async () => {
    const whole = describing(await mp4({ fastStart: 'fragmented', seconds: 3 }));
    fc.assert(
      fc.property(
        fc.nat(whole.length - 1),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 20 }),
        fc.nat(100),
        (which, changes, cut) => {
          const bytes = Buffer.from(whole[which]);
          for (const [at, value] of changes) bytes[at % bytes.length] = value;
          const fault = new VideoBoxes().faultOf(bytes.subarray(0, bytes.length - (cut % bytes.length)));
          expect(['string', 'undefined']).toContain(typeof fault);
        },
      ),
    );
  });
});

describe('the parts of an image', () => {
  const riff = (chunks: number) =>
    Buffer.concat([
      Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'),
      ...Array<Buffer>(chunks).fill(Buffer.from('JUNK\0\0\0\0')),
    ]);
  const pngOf = (chunks: number) => Buffer.concat([Buffer.alloc(8), ...Array<Buffer>(chunks).fill(Buffer.alloc(12))]);
  const jpegOf = (marker: number, segments: number) =>
    Buffer.concat([Buffer.from([0xff, 0xd8]), ...Array<Buffer>(segments).fill(Buffer.from([0xff, marker, 0, 2]))]);
  /** With a fill byte before each segment. */
  const filledJpegOf = (marker: number, segments: number) =>
    Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      ...Array<Buffer>(segments).fill(Buffer.from([0xff, 0xff, marker, 0, 2])),
    ]);
  const gifOf = (block: number[], blocks: number) =>
    Buffer.concat([Buffer.alloc(13), ...Array<Buffer>(blocks).fill(Buffer.from(block)), Buffer.from([0x3b])]);
  const FRAME = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0];
  const COMMENT = [0x21, 0xfe, 1, 65, 0];

  it.each([
    ['image/webp', riff(20_000), riff(20_001), 'more than 20000 chunks'],
    ['image/png', pngOf(20_000), pngOf(20_001), 'more than 20000 chunks'],
    ['image/jpeg', jpegOf(0xe1, 20_000), jpegOf(0xe1, 20_001), 'more than 20000 segments'],
    ['image/jpeg', jpegOf(0xda, 200), jpegOf(0xda, 201), 'more than 200 scans'],
    ['image/jpeg', filledJpegOf(0xda, 200), filledJpegOf(0xda, 201), 'more than 200 scans'],
    ['image/gif', gifOf(FRAME, 350), gifOf(FRAME, 351), 'more than 350 frames'],
    ['image/gif', gifOf(COMMENT, 5_000), gifOf(COMMENT, 5_001), 'more than 5000 extensions'],
  ])('are bounded: %s', (type, max, more, says) => {
    expect(faultOfParts(max, type)).toBeUndefined();
    expect(faultOfParts(more, type)).toContain(says);
  });

  it('are counted behind what has no payload, and behind tables of colors', () => {
    const alone = [0xff, 0xd0, 0xff, 0xd7, 0xff, 0x01, 0xff, 0x00, 0xff, 0xff];
    const restarts = Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.from(Array<number[]>(5_000).fill(alone).flat())]);
    expect(faultOfParts(restarts, 'image/jpeg')).toBeUndefined();
    const scans = (count: number) => Buffer.concat([restarts, jpegOf(0xda, count).subarray(2)]);
    expect(faultOfParts(scans(200), 'image/jpeg')).toBeUndefined();
    expect(faultOfParts(scans(201), 'image/jpeg')).toContain('more than 200 scans');

    const colored = (frames: number) => {
      const head = Buffer.alloc(13);
      head[10] = 0x87;
      // a table of 256 colors that look like extensions, and one of two
      const frame = [...FRAME.slice(0, 9), 0x80, ...Array<number>(6).fill(0x21), 2, 0];
      return Buffer.concat([head, Buffer.alloc(768, 0x21), Buffer.from(Array<number[]>(frames).fill(frame).flat())]);
    };
    expect(faultOfParts(colored(350), 'image/gif')).toBeUndefined();
    expect(faultOfParts(Buffer.concat([colored(351), Buffer.alloc(3)]), 'image/gif')).toContain('more than 350 frames');
  });

  it('of a whole image are few', async () => {
    for (const [type, bytes] of [
      ['image/webp', await webp()],
      ['image/png', await png()],
      ['image/jpeg', await jpeg()],
      ['image/gif', await gif(64, 64, 20)],
    ] as const)
      expect(faultOfParts(bytes, type)).toBeUndefined();
  });

  it('are counted without an exception, whatever they are made of', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('image/webp', 'image/png', 'image/jpeg', 'image/gif'),
        fc.uint8Array({ maxLength: 400 }),
        (type, bytes) => {
          expect(faultOfParts(Buffer.from(bytes), type)).toBeUndefined();
        },
      ),
    );
  });
});
