import sharp, { type Sharp } from 'sharp';
import { heldBytesOf } from '../../../src/creatives/media-inspection/image-format.rules.js';

const picture = (channels: 3 | 4 = 3) =>
  sharp({ create: { width: 40, height: 30, channels, background: { r: 200, g: 10, b: 90, alpha: 0.5 } } });
const heldOf = async (image: Sharp) => {
  const bytes = await image.toBuffer();
  return heldBytesOf(bytes, await sharp(bytes).metadata());
};

describe('what a decoder holds of an image at once', () => {
  it.each([
    ['nothing of a JPEG, a PNG or a lossy WEBP whose rows follow each other', picture().jpeg(), 0],
    ['', picture(4).png(), 0],
    ['', picture(4).webp(), 0],
    ['a progressive JPEG in four to two to zero', picture().jpeg({ progressive: true }), 40 * 30 * 3],
    ['one of full chroma', picture().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }), 40 * 30 * 6],
    ['an interlaced PNG', picture().png({ progressive: true }), 40 * 30 * 3],
    ['one with transparency', picture(4).png({ progressive: true }), 40 * 30 * 4],
    ['one of sixteen bits', picture(4).toColourspace('rgb16').png({ progressive: true }), 40 * 30 * 8],
    ['a lossless WEBP', picture(4).webp({ lossless: true }), 40 * 30 * 4],
  ])('%s', async (_name, image, bytes) => {
    expect(await heldOf(image)).toBe(bytes);
  });

  it.each([3, 4])('a lossless WEBP after %d bytes of other data', (length) => {
    const chunk = (name: string, size: number) => {
      const bytes = Buffer.alloc(8 + size + (size % 2));
      bytes.write(name);
      bytes.writeUInt32LE(size, 4);
      return bytes;
    };
    const bytes = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), chunk('ICCP', length), chunk('VP8L', 0)]);
    expect(heldBytesOf(bytes, { width: 40, height: 30, format: 'webp' })).toBe(40 * 30 * 4);
  });
});
