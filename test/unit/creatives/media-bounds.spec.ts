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
    const run = box('moof', box('traf', box('trun', u32(0, 290_000))));
    const faults = Array.from({ length: 11 }, () => rules.faultOf(run));
    expect(faults.slice(0, 10)).toEqual(Array(10).fill(undefined));
    expect(faults[10]).toContain('more than 3000000 samples in its fragments');
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
  const gifOf = (block: number[], blocks: number) =>
    Buffer.concat([Buffer.alloc(13), ...Array<Buffer>(blocks).fill(Buffer.from(block)), Buffer.from([0x3b])]);
  const FRAME = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0];
  const COMMENT = [0x21, 0xfe, 1, 65, 0];

  it.each([
    ['image/webp', riff(20_000), riff(20_001), 'more than 20000 chunks'],
    ['image/png', pngOf(20_000), pngOf(20_001), 'more than 20000 chunks'],
    ['image/jpeg', jpegOf(0xe1, 20_000), jpegOf(0xe1, 20_001), 'more than 20000 segments'],
    ['image/jpeg', jpegOf(0xda, 200), jpegOf(0xda, 201), 'more than 200 scans'],
    ['image/gif', gifOf(FRAME, 350), gifOf(FRAME, 351), 'more than 350 frames'],
    ['image/gif', gifOf(COMMENT, 5_000), gifOf(COMMENT, 5_001), 'more than 5000 extensions'],
  ])('are bounded: %s', (type, max, more, says) => {
    expect(faultOfParts(max, type)).toBeUndefined();
    expect(faultOfParts(more, type)).toContain(says);
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
