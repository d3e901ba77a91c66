import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { ROOT } from './paths.js';

/** A file that is uploaded, and what becomes of it. */
export interface Medium {
  name: string;
  category: 'post_image' | 'post_gif' | 'post_video';
  bytes: Buffer;
  /** 200 where it is taken. */
  status: number;
  /** How the client misbehaves: it goes away in the middle, or does not sign. */
  manner?: 'leaves' | 'unsigned';
}

const grain = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 50 } },
  });
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 120, g: 60, b: 30, alpha: 0.7 } } });

const image = (name: string, bytes: Buffer): Medium => ({ name, category: 'post_image', bytes, status: 200 });

/** Images of 1 to 5 MB. */
export async function images(): Promise<Medium[]> {
  return [
    image('JPEG of 2 megapixels', await grain(1_600, 1_200).jpeg({ quality: 90 }).toBuffer()),
    image('JPEG of 12 megapixels', await grain(4_000, 3_000).jpeg({ quality: 40 }).toBuffer()),
    image('JPEG of 36 megapixels', await grain(6_000, 6_000).blur(2).jpeg({ quality: 40 }).toBuffer()),
    image('progressive JPEG', await grain(2_400, 1_600).jpeg({ quality: 80, progressive: true }).toBuffer()),
    image('PNG', await grain(1_200, 1_000).png({ compressionLevel: 1 }).toBuffer()),
    image('interlaced PNG', await grain(1_000, 800).png({ compressionLevel: 1, progressive: true }).toBuffer()),
    image('WEBP', await grain(2_400, 1_600).webp({ quality: 85, effort: 0 }).toBuffer()),
  ];
}

/** GIFs of several megabytes. */
export async function gifs(): Promise<Medium[]> {
  const made = [];
  for (const [width, height, frames] of [
    [480, 270, 30],
    [800, 450, 24],
  ]) {
    const bytes = await sharp(randomBytes(width * height * 3 * frames), {
      raw: { width, height: height * frames, channels: 3, pageHeight: height } as never,
    })
      .gif({ delay: Array.from({ length: frames }, () => 80), effort: 1, dither: 0, colours: 64 })
      .toBuffer();
    made.push({ name: `GIF of ${frames} frames`, category: 'post_gif' as const, bytes, status: 200 });
  }
  return made;
}

/** The film of the demo, whose box of media is last: more bytes in it are bytes that nobody plays. */
const film = () => readFileSync(join(ROOT, 'assets/demo/cold-brew.mp4'));

/** A video of so many bytes. */
export function video(size: number): Medium {
  const short = film();
  const media = short.indexOf('mdat', 0, 'latin1') - 4;
  const bytes = Buffer.concat([short, randomBytes(size - short.length)]);
  bytes.writeUInt32BE(size - media, media);
  return { name: `video of ${Math.round(size / 1e6)} MB`, category: 'post_video', bytes, status: 200 };
}

/** What stands at any place of a video of so many bytes, of which nearly all are free space: it is never held as a whole. */
export function longVideo(size: number): (start: number, end: number) => Buffer {
  const short = film();
  const head = Buffer.concat([short, Buffer.alloc(8)]);
  head.writeUInt32BE(size - short.length, short.length);
  head.write('free', short.length + 4, 'latin1');
  const filling = randomBytes(1 << 20);
  return (start, end) => {
    const bytes = Buffer.alloc(end - start);
    for (let at = start; at < end;) {
      const [from, place] = at < head.length ? [head, at] : [filling, at % filling.length];
      at += from.copy(bytes, at - start, place, Math.min(from.length, place + end - at));
    }
    return bytes;
  };
}

/** Files that are there to do harm, and clients who do. */
export async function hostile(): Promise<Medium[]> {
  const refused = (name: string, bytes: Buffer, more: Partial<Medium> = {}): Medium => ({
    ...image(name, bytes),
    status: 400,
    ...more,
  });
  const jpeg = await grain(1_600, 1_200).jpeg({ quality: 90 }).toBuffer();
  const png = await grain(1_200, 1_000).png({ compressionLevel: 1 }).toBuffer();
  const deep = plain(6_000, 6_000).toColourspace('rgb16').png({ compressionLevel: 3, progressive: true });
  const full = plain(6_000, 6_000).jpeg({ progressive: true, chromaSubsampling: '4:4:4' });
  const described = film();
  described.writeUInt32BE(0x7fffffff, described.indexOf('stsz', 0, 'latin1') + 12);
  const cut = jpeg.subarray(0, 500_000);
  return [
    refused('JPEG that ends in the middle', cut),
    refused('PNG that is damaged', png.fill(0xff, 500_000, 503_000)),
    refused('PNG of 288 MB in 1.5', await deep.toBuffer()),
    refused('JPEG of 216 MB in 0.6', await full.toBuffer()),
    image('PNG of 36 megapixels in 0.5 MB', await plain(6_000, 6_000).png({ compressionLevel: 3 }).toBuffer()),
    { ...image('GIF of 300 megapixels in 0.6 MB', await manyFrames()), category: 'post_gif' },
    refused('image larger than images are', Buffer.concat([jpeg, randomBytes(12_000_000 - jpeg.length)]), {
      status: 413,
    }),
    refused('video that says it has two thousand million pictures', described, { category: 'post_video' }),
    refused('client who goes away', video(12_000_000).bytes, { category: 'post_video', status: 0, manner: 'leaves' }),
    refused('upload that nobody signed', video(12_000_000).bytes, {
      category: 'post_video',
      status: 400,
      manner: 'unsigned',
    }),
  ];
}

/** As many frames and pixels as a GIF may have, each of one colour. */
async function manyFrames(): Promise<Buffer> {
  const one = await sharp({ create: { width: 1_280, height: 669, channels: 3, background: '#a03020' } })
    .gif()
    .toBuffer();
  // of the graphic control, which stands right before its picture, to the trailer
  const frame = one.subarray(one.lastIndexOf(Buffer.from([0x21, 0xf9, 0x04])), -1);
  return Buffer.concat([one.subarray(0, -1), ...Array<Buffer>(349).fill(frame), Buffer.from([0x3b])]);
}
