import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import {
  hiddenSamples,
  manyEdits,
  runsFromNowhere,
  samplesFromNowhere,
  sortedFromNowhere,
} from '../../../scripts/proofs/support/hostile-videos.js';
import { MediaLook } from '../../../src/creatives/media-inspection/media-look.service.js';
import { MediaProcessing } from '../../../src/creatives/media-upload/media-processing.job.js';
import { useApp, world } from '../../support/app.js';
import type { Json } from '../../support/http.js';
import { given, type Client } from '../../support/given.js';
import { bmp, gif, jpeg, mp4, noise, png, webp } from '../../support/media/files.js';
import { sendMultipart, UPLOAD } from '../../support/media/upload.js';
import { readConfig } from '../../../src/config/config.js';

useApp({ PATH: process.env.PATH ?? '' });

describe('hostile media', () => {
  /** Files that are broken, or made to break who reads them. None may end in a 5xx, or leave anything behind. */

  let client: Client;
  beforeAll(async () => {
    client = await given.client();
  });

  const crcTable = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const crc = (bytes: Buffer) => {
    let c = 0xffffffff;
    for (const byte of bytes) c = crcTable[(c ^ byte) & 0xff] ^ (c >>> 8);
    return (c ^ 0xffffffff) >>> 0;
  };

  function chunk(type: string, data: Buffer): Buffer {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const bytes = Buffer.alloc(body.length + 8);
    bytes.writeUInt32BE(data.length, 0);
    body.copy(bytes, 4);
    bytes.writeUInt32BE(crc(body), body.length + 4);
    return bytes;
  }

  /** A PNG whose header says this size, with the pixels of another. */
  function pngOf(width: number, height: number, { rows = height, bits = 8, colour = 2, interlaced = 0 } = {}): Buffer {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    header.set([bits, colour, 0, 0, interlaced], 8);
    const pixels = deflateSync(Buffer.alloc(Math.min(rows * (1 + width * 3), 60_000_000)), { level: 1 });
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
  }

  /** A GIF of so many frames of one pixel each, on a screen of this size. */
  function gifOf(width: number, height: number, frames: number): Buffer {
    const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
    head.writeUInt16LE(width, 6);
    head.writeUInt16LE(height, 8);
    const frame = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
    return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])]);
  }

  const box = (type: string, ...content: Buffer[]): Buffer => {
    const bytes = Buffer.concat([Buffer.alloc(8), ...content]);
    bytes.writeUInt32BE(bytes.length, 0);
    bytes.write(type, 4, 'latin1');
    return bytes;
  };
  const ftyp = box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2avc1mp41', 'latin1'));
  const u32 = (...values: number[]) => {
    const bytes = Buffer.alloc(values.length * 4);
    values.forEach((value, i) => bytes.writeUInt32BE(value >>> 0, i * 4));
    return bytes;
  };

  /** Changes a 32-bit number behind a box type in an MP4. */
  function patched(bytes: Buffer, type: string, offset: number, value: number, { last = false } = {}): Buffer {
    const copy = Buffer.from(bytes);
    const at = last ? copy.lastIndexOf(type, undefined, 'latin1') : copy.indexOf(type, 0, 'latin1');
    if (at < 0) throw new Error(`there is no ${type}`);
    copy.writeUInt32BE(value >>> 0, at + offset);
    return copy;
  }

  const cutAt = (bytes: Buffer, part: number) => bytes.subarray(0, Math.floor(bytes.length * part));
  const zip = () => {
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06', 0, 'latin1');
    return end;
  };

  type Case = [name: string, bytes: () => Buffer | Promise<Buffer>, says?: RegExp];

  const IMAGES: Case[] = [
    ['nothing', () => Buffer.alloc(0), /is empty/],
    ['a byte', () => Buffer.from([0xff])],
    ['zeros', () => Buffer.alloc(100_000), /unknown type/],
    ['noise', () => randomBytes(100_000)],
    ['text', () => Buffer.from('just a text\n'.repeat(100)), /unknown type/],
    ['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    [
      'an SVG with a declaration',
      () => Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
      /allowed are PNG/,
    ],
    ['HTML', () => Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a PDF', () => Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n'), /application\/pdf/],
    ['a ZIP', () => Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(100), zip()])],
    ['a program', () => Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(200)])],
    ['a TIFF', () => Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), Buffer.alloc(200)]), /allowed are PNG/],
    ['a HEIC', () => Buffer.concat([box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1')), Buffer.alloc(50)])],
    ['the signature of a PNG', () => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
    ['the signature of a JPEG', () => Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    [
      'the signature of a JPEG and noise',
      () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomBytes(5_000), Buffer.from([0xff, 0xd9])]),
    ],
    ['the signature of a GIF', () => Buffer.from('GIF89a', 'latin1')],
    [
      'the signature of a GIF and a script',
      () => Buffer.from('GIF89a/*aaaaaa*/=1;<script>alert(1)</script>;', 'latin1'),
      /must have only one format/,
    ],
    [
      'the signature of a WEBP and noise',
      () => Buffer.concat([Buffer.from('RIFF\x00\x10\x00\x00WEBPVP8 ', 'latin1'), randomBytes(4_084)]),
    ],
    ['a PNG of 2^31 x 2^31', () => pngOf(0x7fffffff, 0x7fffffff, { rows: 0 })],
    ['a PNG of 60,000 x 60,000', () => pngOf(60_000, 60_000, { rows: 1 }), /at most 36000000/],
    ['a PNG of 20,000 x 20,000 that is all there is of it', () => pngOf(19_000, 3_000), /at most 36000000/],
    ['a PNG of 0 x 0', () => pngOf(0, 0, { rows: 1 })],
    ['a PNG with fewer rows than it says', () => pngOf(800, 800, { rows: 10 }), /cannot be decoded/],
    ['a PNG of 3 bits', () => pngOf(10, 10, { bits: 3 })],
    ['an interlaced PNG with fewer rows', () => pngOf(3_000, 3_000, { rows: 1, interlaced: 1 })],
    [
      'a PNG with a web page behind it',
      async () => Buffer.concat([await png(), Buffer.from('<html></html>')]),
      /is cut off/,
    ],
    ['a PNG with an archive behind it', async () => Buffer.concat([await png(), zip()]), /archive/],
    ['a JPEG with an archive behind it', async () => Buffer.concat([await jpeg(), zip()]), /archive/],
    [
      'a JPEG with a page in its beginning',
      async () => {
        const bytes = await jpeg();
        const comment = Buffer.from('\xff\xfe\x00\x20<html><script>alert(1)</script>', 'latin1');
        return Buffer.concat([bytes.subarray(0, 2), comment, bytes.subarray(2)]);
      },
      /must have only one format/,
    ],
    [
      'a PNG that is a PDF, too',
      async () => {
        const bytes = await png();
        return Buffer.concat([bytes.subarray(0, 33), chunk('tEXt', Buffer.from('a\0%PDF-1.4')), bytes.subarray(33)]);
      },
      /must have only one format/,
    ],
    ['a BMP of 0 x 0', () => bmp(0, 0)],
    [
      'a BMP of 2^31 x 1',
      () => {
        const bytes = bmp();
        bytes.writeInt32LE(0x7fffffff, 18);
        return bytes;
      },
      /is cut off/,
    ],
    [
      'a BMP of a negative width',
      () => {
        const bytes = bmp();
        bytes.writeInt32LE(-40, 18);
        return bytes;
      },
    ],
    [
      'a compressed BMP',
      () => {
        const bytes = bmp();
        bytes.writeUInt32LE(1, 30);
        return bytes;
      },
      /compressed/,
    ],
    ['a cut BMP', () => cutAt(bmp(), 0.9), /is cut off/],
  ];

  const GIFS: Case[] = [
    ['a GIF of 5,000 frames', () => gifOf(100, 100, 5_000), /at most 350/],
    ['a GIF of 400,000 frames', () => gifOf(10, 10, 400_000), /at most 350/],
    ['a GIF of 60,000 x 60,000', () => gifOf(60_000, 60_000, 1), /at most 1280 x 1080/],
    ['a GIF of more pixels than it may have', () => gifOf(1280, 1080, 349), /at most 300000000/],
    ['a GIF of 0 x 0', () => gifOf(0, 0, 1)],
    ['a GIF without frames', () => gifOf(100, 100, 0)],
    ['a GIF without an end', () => gifOf(100, 100, 2).subarray(0, -1), /is cut off/],
  ];

  const VIDEOS: Case[] = [
    ['a beginning alone', () => ftyp, /no "moov" box/],
    ['media without a description', () => Buffer.concat([ftyp, box('mdat', Buffer.alloc(1_000))]), /no "moov" box/],
    [
      'a description without media',
      () => Buffer.concat([ftyp, box('moov', box('mvhd', Buffer.alloc(100)))]),
      /no "mdat" box/,
    ],
    [
      'an empty description',
      () => Buffer.concat([ftyp, box('moov'), box('mdat', Buffer.alloc(10))]),
      /no video track|cannot be read/,
    ],
    [
      'a description of noise',
      () => Buffer.concat([ftyp, box('moov', randomBytes(4_000)), box('mdat', Buffer.alloc(10))]),
    ],
    ['two descriptions', async () => Buffer.concat([await mp4(), box('moov')]), /two "moov"/],
    [
      'a box of 1 byte',
      () => Buffer.concat([ftyp, u32(2), Buffer.from('moov'), Buffer.alloc(50)]),
      /box "moov" of 2 bytes/,
    ],
    ['a box of no bytes', () => Buffer.concat([ftyp, u32(7), Buffer.from('free'), Buffer.alloc(50)]), /of 7 bytes/],
    [
      'a box of 4 GB',
      () => Buffer.concat([ftyp, u32(0xffffffff), Buffer.from('mdat'), Buffer.alloc(50)]),
      /is cut off/,
    ],
    [
      'a box of 2^63 bytes',
      () => Buffer.concat([ftyp, u32(1), Buffer.from('mdat'), u32(0x7fffffff, 0xffffffff), Buffer.alloc(50)]),
      /is cut off/,
    ],
    [
      'a long box of 0 bytes',
      () => Buffer.concat([ftyp, u32(1), Buffer.from('mdat'), u32(0, 0), Buffer.alloc(50)]),
      /of 0 bytes/,
    ],
    [
      '100,000 boxes',
      () => Buffer.concat([ftyp, ...Array.from({ length: 100_000 }, () => box('free'))]),
      /more than 4000 boxes/,
    ],
    [
      '100,000 boxes in one another',
      () => {
        const bytes = Buffer.alloc(800_000);
        for (let at = 0; at < bytes.length; at += 8) {
          bytes.writeUInt32BE(bytes.length - at, at);
          bytes.write(at === 0 ? 'moov' : 'trak', at + 4, 'latin1');
        }
        return Buffer.concat([ftyp, bytes, box('mdat', Buffer.alloc(10))]);
      },
    ],
    [
      'sound alone',
      async () => {
        const bytes = Buffer.from(
          (await mp4()).toString('latin1').replace('vide', 'soun').replace('avc1', 'mp4a'),
          'latin1',
        );
        return bytes;
      },
    ],
    [
      'a format that nobody knows',
      async () => {
        const bytes = await mp4();
        bytes.write('zzzz', bytes.lastIndexOf('avc1', undefined, 'latin1'), 'latin1');
        return bytes;
      },
    ],
    ['a width and a height of 0', async () => patched(await mp4(), 'avc1', 28, 0, { last: true }), /a side must have/],
    ['a side of 60,000', async () => mp4({ width: 60_000, height: 60_000 }), /a side must have/],
    ['a samples table of 4 billion entries', async () => patched(await mp4(), 'stts', 8, 0xffffffff)],
    ['a frame that lasts for ever', async () => patched(await mp4(), 'stts', 16, 0xffffffff), /seconds|cannot be read/],
    ['4 billion frames', async () => patched(await mp4(), 'stts', 12, 0xffffffff)],
    ['4 billion sizes', async () => patched(await mp4(), 'stsz', 12, 0xffffffff)],
    ['4 billion chunks', async () => patched(await mp4(), 'stco', 8, 0xffffffff)],
    ['a time scale of 0', async () => patched(await mp4(), 'mdhd', 16, 0)],
    ['a description that is longer than it is', async () => patched(await mp4(), 'trak', -4, 0x7ffffff0)],
    ['an archive behind it', async () => Buffer.concat([await mp4(), zip()])],
    [
      'a beginning that is a page',
      async () =>
        Buffer.concat([ftyp, box('free', Buffer.from('<html><script>')), (await mp4()).subarray(ftyp.length)]),
      /must have only one format/,
    ],
    ['half a second less than half', async () => mp4({ seconds: 0.4 }), /0.5 to 140/],
    ['a day', async () => mp4({ seconds: 86_400, framesPerSecond: 1, frameBytes: 5 }), /0.5 to 140/],
  ];

  /** Whole files, and at which parts of them they are cut. */
  const CUT: [name: string, category: string, bytes: () => Buffer | Promise<Buffer>][] = [
    ['a PNG', 'post_image', () => png(300, 200)],
    ['a JPEG', 'post_image', () => noise(300, 200)],
    ['a WEBP', 'post_image', () => webp(300, 200)],
    ['a BMP', 'post_image', () => bmp()],
    ['a GIF', 'post_gif', () => gif(64, 64, 5)],
    ['a video', 'post_video', () => mp4()],
    ['a video that begins with its description', 'post_video', () => mp4({ fastStart: true })],
    ['a video in fragments', 'post_video', () => mp4({ fastStart: 'fragmented' })],
  ];

  const kept = (): number => {
    const folder = join(world().config.dataDir, 'blobs', 'media');
    return existsSync(folder) ? readdirSync(folder).length : 0;
  };

  async function refuses(category: string, bytes: Buffer, says = /^media /): Promise<void> {
    const { status, body } = await sendMultipart(client, { media_category: category }, bytes);
    expect({ status, code: body.errors?.[0]?.code }).toEqual({ status: 400, code: 214 });
    expect((body.errors as Json[])[0].message).toMatch(says);
  }

  describe.each([
    ['image', 'post_image', IMAGES],
    ['GIF', 'post_gif', GIFS],
    ['video', 'post_video', VIDEOS],
  ] as const)('as %s', (_, category, cases) => {
    it.each(cases.map(([name, bytes, says = /^media /]) => ({ name, bytes, says })))(
      '$name is refused, and nothing is kept',
      async ({ bytes, says }) => {
        const before = kept();
        await refuses(category, await bytes(), says);
        expect(kept()).toBe(before);
      },
      20_000,
    );
  });

  describe('cut off', () => {
    it.each(CUT)(
      '%s is refused wherever it ends',
      async (_name, category, make) => {
        const bytes = await make();
        expect((await sendMultipart(client, { media_category: category }, bytes)).status).toBe(200);
        const ends = [
          1,
          5,
          9,
          20,
          30,
          60,
          ...[0.1, 0.3, 0.5, 0.7, 0.9].map((part) => Math.floor(bytes.length * part)),
          bytes.length - 1,
        ];
        for (const end of ends) await refuses(category, bytes.subarray(0, end));
      },
      60_000,
    );

    it('or changed anywhere, nothing is a fault of ours', async () => {
      for (const [, category, make] of CUT) {
        const bytes = await make();
        for (let round = 0; round < 25; round++) {
          const changed = Buffer.from(bytes);
          for (let i = 0; i < 1 + (round % 8); i++)
            changed[Math.floor(Math.random() * changed.length)] = randomBytes(1)[0];
          const { status, body } = await sendMultipart(client, { media_category: category }, changed);
          expect({ status, body, end: [200, 400].includes(status) }).toMatchObject({ end: true });
        }
      }
    }, 120_000);
  });

  /** An upload whose segments are all there. */
  async function sent(bytes: Buffer): Promise<string> {
    const begun = await client.api.post(UPLOAD, {
      form: { command: 'INIT', total_bytes: bytes.length, media_type: 'video/mp4', media_category: 'post_video' },
    });
    const media_id = begun.body.media_id_string as string;
    await sendMultipart(client, { command: 'APPEND', media_id, segment_index: 0 }, bytes);
    return media_id;
  }

  const finalize = (media_id: string) => client.api.post(UPLOAD, { form: { command: 'FINALIZE', media_id } });
  const status = (media_id: string) => client.api.get(UPLOAD, { query: { command: 'STATUS', media_id } });

  describe('in segments', () => {
    it('what is no video is told when it is finished', async () => {
      for (const [name, make] of VIDEOS.slice(0, 8)) {
        const media_id = await sent(await make());
        expect({ name, status: (await finalize(media_id)).status }).toEqual({ name, status: 400 });
        expect((await status(media_id)).body.processing_info.state).toBe('failed');
      }
    });
  });

  describe('a video that claims more than a reader can hold', () => {
    it.each([
      ['samples without bytes', samplesFromNowhere, /20000000 samples/],
      ['many runs of samples', () => runsFromNowhere(10_000, 2_000), /samples; at most/],
      ['samples that have to be sorted', sortedFromNowhere, /20000000 samples/],
      ['edits', () => manyEdits(400_000), /400000 entries/],
      ['samples where only the library looks', hiddenSamples, /within the limits of time and memory/],
    ])(
      'is refused, whole and in segments, and ends nobody: %s',
      async (_name, make, says) => {
        await refuses('post_video', make(), says);
        const media_id = await sent(make());
        expect((await finalize(media_id)).status).toBe(400);
        expect((await status(media_id)).body.processing_info).toMatchObject({
          state: 'failed',
          error: { message: expect.stringMatching(says) },
        });
        expect((await sendMultipart(client, { media_category: 'post_video' }, await mp4())).status).toBe(200);
      },
      180_000,
    );
  });

  describe('a file whose reading does not end', () => {
    const attemptsOf = async (id: string): Promise<number> =>
      (await world().sql<{ attempts: number }>('SELECT attempts FROM media WHERE id = $1', id))[0].attempts;
    const died = (id: string, attempts: number, minutesAgo: number) =>
      world().sql(
        `UPDATE media SET state = 'IN_PROGRESS', attempts = $2, "attemptedAt" = $3 WHERE id = $1`,
        id,
        attempts,
        new Date(world().clock.now().getTime() - minutesAgo * 60_000).toISOString(),
      );

    it('is read once more after its process died, and not a third time', async () => {
      const bytes = await mp4();
      const once = await sent(bytes);
      await finalizeLater(once);
      await died(once, 1, 3);
      expect((await finalize(once)).body.processing_info.state).toBe('succeeded');
      // the one that died stays counted
      expect(await attemptsOf(once)).toBe(1);

      const twice = await sent(bytes);
      await finalizeLater(twice);
      await died(twice, 2, 3);
      expect((await finalize(twice)).status).toBe(400);
      expect((await status(twice)).body.processing_info).toMatchObject({
        state: 'failed',
        error: { message: expect.stringContaining('crashed in 2 attempts') },
      });
    });

    it('is left to those who read it at this moment', async () => {
      const id = await sent(await mp4());
      await finalizeLater(id);
      await died(id, 2, 1);
      const { status: answered, body } = await finalize(id);
      expect({ answered, state: body.processing_info.state }).toEqual({ answered: 200, state: 'in_progress' });
    });

    it('is counted before it begins, and not where the process stops', async () => {
      const id = await sent(hiddenSamples());
      await finalizeLater(id);
      const stop = new AbortController();
      const reading = world().get(MediaProcessing).process(id, { signal: stop.signal });
      const ended = reading.then(
        () => 'ended',
        (error: Error) => error.message,
      );
      while ((await attemptsOf(id)) === 0) await new Promise(setImmediate);
      stop.abort();
      expect(await ended).toBe('the process stops');
      expect(await attemptsOf(id)).toBe(0);
      expect((await status(id)).body.processing_info.state).toBe('in_progress');
    });

    /** As where the process died right after the upload was closed. */
    const finalizeLater = (id: string) => world().sql(`UPDATE media SET state = 'PENDING' WHERE id = $1`, id);
  });

  it('files of one user wait for each other, up to a bound, and for nobody else', async () => {
    const look = world().get(MediaLook);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const works = Array.from({ length: 101 }, () => look.inTurn(client.user.id, () => released));
    try {
      const refused = await sendMultipart(client, { media_category: 'post_image' }, await jpeg());
      expect({ status: refused.status, errors: refused.body.errors, after: refused.headers['retry-after'] }).toEqual({
        status: 429,
        errors: [{ code: 88, message: expect.stringContaining('at most 100 per user') }],
        after: '5',
      });
      const other = await given.client();
      expect((await sendMultipart(other, { media_category: 'post_image' }, await jpeg())).status).toBe(200);
    } finally {
      release();
      await Promise.all(works);
    }
  });
});

describe('media posters', () => {
  /** Where it is installed, the real program makes the video and takes its first frame. */
  const installed = readConfig({ PATH: process.env.PATH, NODE_ENV: 'test' }).ffmpeg;

  const posterOf = async (bytes: Buffer) => {
    const { status, body } = await sendMultipart(await given.client(), { media_category: 'post_video' }, bytes);
    expect({ status, errors: body.errors }).toEqual({ status: 200 });
    const [{ posterFile, width, height }] = await world().sql<{ posterFile: string; width: number; height: number }>(
      'SELECT "posterFile", width, height FROM media WHERE id = $1',
      body.media_id_string,
    );
    const poster = Buffer.from(await (await fetch(`${world().url}/media/${posterFile}`)).arrayBuffer());
    const about = await sharp(poster).metadata();
    expect(about).toMatchObject({ format: 'jpeg', width, height });
    const { dominant } = await sharp(poster).stats();
    return { width, height, dominant };
  };

  /** A video of one colour, made by the program. */
  function redVideo(...more: string[]): Buffer {
    const folder = mkdtempSync(join(tmpdir(), 'marquee-video-'));
    try {
      const file = join(folder, 'red.mp4');
      const made = spawnSync(installed!, [
        '-y',
        '-f',
        'lavfi',
        '-i',
        'color=c=red:s=320x180:d=2:r=10',
        ...more,
        '-pix_fmt',
        'yuv420p',
        file,
      ]);
      expect(made.status).toBe(0);
      return readFileSync(file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('a video that no decoder knows has a neutral poster', async () => {
    expect(await posterOf(await mp4({ width: 640, height: 360 }))).toMatchObject({
      width: 640,
      height: 360,
      dominant: { r: 40, g: 56, b: 72 },
    });
  });

  (installed ? describe : describe.skip)('the first frame of a video', () => {
    it.each([
      ['whose description stands behind its media', [], [320, 180]],
      ['whose description stands before them', ['-movflags', '+faststart'], [320, 180]],
      ['in fragments', ['-movflags', 'frag_keyframe+empty_moov'], [320, 180]],
    ] as const)('%s is its poster', async (_, args, [width, height]) => {
      const poster = await posterOf(redVideo(...args));
      expect(poster).toMatchObject({ width, height });
      expect(poster.dominant.r).toBeGreaterThan(200);
      expect(poster.dominant.b).toBeLessThan(60);
    });
  });
});
