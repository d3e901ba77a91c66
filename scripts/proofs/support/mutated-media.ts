import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { bmp } from './bmp.js';
import type { Medium } from './media.js';
import { ROOT } from './paths.js';

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Whole = Pick<Medium, 'name' | 'category' | 'bytes'>;

/** A whole file of each kind, and of the ways in which a kind can be stored. */
export async function wholeMedia(): Promise<Whole[]> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 };
  const grain = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#808080', noise } });
  const image = async (name: string, made: Sharp): Promise<Whole> => ({
    name,
    category: 'post_image',
    bytes: await made.toBuffer(),
  });
  const frames = Buffer.alloc(64 * 48 * 3 * 6, 90);
  const roll = sharp(frames, { raw: { width: 64, height: 48 * 6, channels: 3, pageHeight: 48 } as never });
  const film = readFileSync(join(ROOT, 'assets/demo/cold-brew.mp4'));
  return [
    { name: 'MP4', category: 'post_video', bytes: film },
    { name: 'GIF', category: 'post_gif', bytes: await roll.gif({ effort: 1 }).toBuffer() },
    await image('WEBP', grain(200, 150).webp({ quality: 60 })),
    await image('lossless WEBP', grain(80, 60).webp({ lossless: true })),
    await image('PNG', grain(120, 90).png()),
    await image('interlaced PNG', grain(120, 90).png({ progressive: true })),
    await image('JPEG', grain(200, 150).jpeg()),
    await image('progressive JPEG', grain(200, 150).jpeg({ progressive: true })),
    { name: 'BMP', category: 'post_image', bytes: bmp(60, 40) },
  ];
}

const EXTREMES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 20_000_000];

/** A file with some of its bytes changed: single ones, numbers, pieces that are doubled, cut out or moved, mostly near its beginning. */
export function mutated(whole: Buffer, random: () => number): Buffer {
  let bytes = Buffer.from(whole);
  const near = random() < 0.7 ? Math.min(bytes.length, 1_500) : bytes.length;
  // the description of a video stands at its end
  const from = random() < 0.4 ? Math.max(0, bytes.length - 1_500) : 0;
  const place = () => Math.min(bytes.length - 1, from + Math.floor(random() * Math.max(1, near)));
  const changes = 1 + Math.floor(random() * 6);
  for (let i = 0; i < changes && bytes.length > 16; i++) {
    const at = place();
    switch (Math.floor(random() * 6)) {
      case 0:
        bytes[at] = Math.floor(random() * 256);
        break;
      case 1:
        bytes[at] ^= 1 << Math.floor(random() * 8);
        break;
      case 2:
      case 3: {
        const value = EXTREMES[Math.floor(random() * EXTREMES.length)];
        const word = Math.min(at, bytes.length - 4);
        if (random() < 0.5) bytes.writeUInt32BE(value, word);
        else bytes.writeUInt32LE(value, word);
        break;
      }
      case 4: {
        const piece = bytes.subarray(at, at + 1 + Math.floor(random() * 64));
        bytes = Buffer.concat([bytes.subarray(0, at), piece, piece, bytes.subarray(at + piece.length)]);
        break;
      }
      default:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + Math.floor(random() * 32))]);
    }
  }
  return bytes;
}

/** A WEBP image of so many chunks without content. */
export function webpOfChunks(chunks: number): Buffer {
  const bytes = Buffer.alloc(12 + chunks * 8);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WEBP', 8, 'latin1');
  for (let at = 12; at < bytes.length; at += 8) bytes.write('JUNK', at, 'latin1');
  return bytes;
}
