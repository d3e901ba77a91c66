import type { KernelEnum, Sharp, SharpOptions } from 'sharp';
import { endsAsArchive } from './archive.rules.js';
import { bmpSizeOf, faultOfFrame, heldBytesOf, type Size } from './image-format.rules.js';
import { faultOfParts } from './image-parts.rules.js';
import type { MediaKind } from './media-kind.js';
import { GIF_LIMITS, MAX_HELD_BYTES, MAX_PIXELS } from './media-limits.js';
import { invalidFile } from './upload-errors.js';

let library: Promise<(typeof import('sharp'))['default']> | undefined;

/** Loaded with the first file: many processes never read one, and startup is faster. */
const loaded = () => (library ??= load());

async function load() {
  const { default: sharp } = await import('sharp');
  // one thread and no cache: the accepted image sizes bound the cost of decoding
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}

const TINY = 8;
const STRICT: SharpOptions = { failOn: 'error', sequentialRead: true };
const FORMATS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/webp': 'webp',
  'image/gif': 'gif',
};

/** Properties of an image; a GIF has its first frame as a JPEG. */
export interface ImageFacts extends Size {
  poster: Uint8Array | null;
}

/** Reads an image: first the header, then the complete data by decoding it. Runs in the media reader process. */
export async function readImage(bytes: Buffer, kind: MediaKind): Promise<ImageFacts> {
  const fault = endsAsArchive(bytes.subarray(-65_557))
    ? 'is also an archive: a file must have only one format'
    : (faultOfFrame(bytes, kind.contentType) ?? faultOfParts(bytes, kind.contentType));
  if (fault !== undefined) throw invalidFile(fault);
  if (kind.contentType === 'image/bmp') return { ...bmpOf(bytes), poster: null };
  return kind.mediaType === 'GIF' ? gifOf(bytes) : imageOf(bytes, kind);
}

function bmpOf(bytes: Buffer): Size {
  const size = bmpSizeOf(bytes);
  if (typeof size === 'string') throw invalidFile(size);
  refuseHuge(size);
  return size;
}

async function imageOf(bytes: Buffer, kind: MediaKind): Promise<ImageFacts> {
  const about = await headerOf(bytes, kind);
  const { width, height, orientation = 1 } = about;
  refuseHuge({ width, height });
  const held = heldBytesOf(bytes, about);
  if (held > MAX_HELD_BYTES)
    throw invalidFile(
      `is a progressive, interlaced or lossless ${kind.ending} file of ${width} x ${height} pixels, which needs ${held} bytes of memory; at most ${MAX_HELD_BYTES} are allowed`,
    );
  const sharp = await loaded();
  await decoded(sharp(bytes, { ...STRICT, limitInputPixels: MAX_PIXELS }), kind);
  // EXIF orientations 5 to 8 swap width and height
  return orientation >= 5 ? { width: height, height: width, poster: null } : { width, height, poster: null };
}

async function gifOf(bytes: Buffer): Promise<ImageFacts> {
  const kind: MediaKind = { mediaType: 'GIF', contentType: 'image/gif', ending: 'gif' };
  const screen = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  const { width, height: roll, pageHeight, pages = 1 } = await headerOf(bytes, kind, { pages: -1 });
  const height = pageHeight ?? roll;
  const { width: widest, height: highest, frames, pixels } = GIF_LIMITS;
  // a decoder may use the frames only, a browser the screen
  for (const shown of [screen, { width, height }]) {
    if (!(shown.width > 0 && shown.height > 0 && shown.width <= widest && shown.height <= highest))
      throw invalidFile(
        `is a GIF of ${shown.width} x ${shown.height} pixels; at most ${widest} x ${highest} are allowed`,
      );
  }
  if (pages > frames) throw invalidFile(`is a GIF of ${pages} frames; at most ${frames} are allowed`);
  if (width * height * pages > pixels)
    throw invalidFile(`is a GIF of ${width * height * pages} pixels in all its frames; at most ${pixels} are allowed`);
  const sharp = await loaded();
  const whole = sharp(bytes, { ...STRICT, pages: -1, limitInputPixels: pixels });
  // a frame is always decoded as a whole, whichever rows are requested
  await decoded(whole, kind, 'nearest');
  const poster = await posterOf(sharp(bytes, { ...STRICT, pages: 1, limitInputPixels: pixels }));
  return { width, height, poster };
}

function refuseHuge({ width, height }: Size): void {
  if (width * height > MAX_PIXELS)
    throw invalidFile(`is an image of ${width} x ${height} pixels; at most ${MAX_PIXELS} in total are allowed`);
}

/** Any decoder error about bytes in memory is a fault of the bytes. */
async function headerOf(bytes: Buffer, kind: MediaKind, options: SharpOptions = {}) {
  const sharp = await loaded();
  const about = await sharp(bytes, { ...STRICT, ...options, limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  if (about?.format !== FORMATS[kind.contentType] || !about.width || !about.height) throw damaged(kind);
  return about;
}

/** Decodes the whole image row by row into a tiny image, so that memory use stays small. */
async function decoded(image: Sharp, kind: MediaKind, kernel: keyof KernelEnum = 'lanczos3'): Promise<void> {
  try {
    await image.resize(TINY, TINY, { fit: 'fill', kernel }).raw().toBuffer();
  } catch {
    throw damaged(kind);
  }
}

const damaged = ({ ending }: MediaKind) =>
  invalidFile(`is a ${ending} file that cannot be decoded: it is damaged or cut off`);

/** Converts an image to a JPEG of the same size, with white instead of transparency. */
const posterOf = (image: Sharp): Promise<Buffer> =>
  image.flatten({ background: '#ffffff' }).jpeg({ quality: 82, mozjpeg: false }).toBuffer();

/** A blank JPEG of this size, for a video whose first frame cannot be extracted. */
export const neutralPoster = async ({ width, height }: Size): Promise<Buffer> =>
  posterOf((await loaded())({ create: { width, height, channels: 3, background: '#2f3b47' } }));

/** Converts a frame extracted by another program to a JPEG of this size. */
export const posterOfFrame = async (frame: Buffer, { width, height }: Size): Promise<Buffer> =>
  posterOf((await loaded())(frame, { ...STRICT, limitInputPixels: MAX_PIXELS }).resize(width, height, { fit: 'fill' }));
