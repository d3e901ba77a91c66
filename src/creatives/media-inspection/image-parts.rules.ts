import { GIF_LIMITS } from './media-limits.js';

/** Limit on chunks of a PNG or WEBP and segments of a JPEG. Normal files, even with much metadata, stay far below. */
const MAX_PARTS = 20_000;
/** Limit on scans of a progressive JPEG; each scan costs as much time as a whole image. */
const MAX_SCANS = 200;
/** Limit on GIF extensions between frames, such as controls and comments. */
const MAX_EXTENSIONS = 5_000;

type Fault = string | undefined;

/**
 * Reports an image with more parts than a decoder should process. The work is linear in the bytes and stops at the
 * limit. Malformed parts are not reported here; the decoder rejects them.
 */
export function faultOfParts(bytes: Buffer, contentType: string): Fault {
  switch (contentType) {
    case 'image/png':
      return chunksBeyond(bytes, 8, (at) => 12 + bytes.readUInt32BE(at)) ? tooMany('a PNG image', 'chunks') : undefined;
    case 'image/webp':
      return chunksBeyond(bytes, 12, (at) => evenly(8 + bytes.readUInt32LE(at + 4)))
        ? tooMany('a WEBP image', 'chunks')
        : undefined;
    case 'image/jpeg':
      return faultOfJpeg(bytes);
    case 'image/gif':
      return faultOfGif(bytes);
    default:
      return undefined;
  }
}

const tooMany = (what: string, parts: string, max = MAX_PARTS) => `is ${what} of more than ${max} ${parts}`;
const evenly = (length: number) => length + (length % 2);

function chunksBeyond(bytes: Buffer, start: number, lengthAt: (at: number) => number): boolean {
  let chunks = 0;
  for (let at = start; at + 8 <= bytes.length; at += lengthAt(at)) if (++chunks > MAX_PARTS) return true;
  return false;
}

const SOS = 0xda;
const EOI = 0xd9;
/** Markers without a payload: RST0 to RST7, and TEM. */
const isAlone = (marker: number) => (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01;

function faultOfJpeg(bytes: Buffer): Fault {
  let segments = 0;
  let scans = 0;
  for (let at = bytes.indexOf(0xff, 2); at >= 0 && at + 1 < bytes.length;) {
    const marker = bytes[at + 1];
    if (marker === EOI) return undefined;
    // a stuffed byte or a fill byte
    if (marker === 0 || marker === 0xff || isAlone(marker)) {
      at = bytes.indexOf(0xff, at + (marker === 0xff ? 1 : 2));
      continue;
    }
    if (++segments > MAX_PARTS) return tooMany('a JPEG image', 'segments');
    if (marker === SOS && ++scans > MAX_SCANS) return tooMany('a JPEG image', 'scans', MAX_SCANS);
    if (at + 4 > bytes.length) return undefined;
    at = bytes.indexOf(0xff, at + 2 + bytes.readUInt16BE(at + 2));
  }
  return undefined;
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;

const colours = (packed: number) => ((packed & 0x80) !== 0 ? 3 << ((packed & 7) + 1) : 0);

function faultOfGif(bytes: Buffer): Fault {
  let frames = 0;
  let extensions = 0;
  let at = 13 + colours(bytes[10] ?? 0);
  while (at + 2 < bytes.length) {
    if (bytes[at] === EXTENSION) {
      if (++extensions > MAX_EXTENSIONS) return tooMany('a GIF', 'extensions', MAX_EXTENSIONS);
      at = endOfBlocks(bytes, at + 2);
    } else if (bytes[at] === IMAGE) {
      if (++frames > GIF_LIMITS.frames)
        return `is a GIF of more than ${GIF_LIMITS.frames} frames; at most ${GIF_LIMITS.frames} are allowed`;
      // the descriptor, its colors and the code size
      at = endOfBlocks(bytes, at + 11 + colours(bytes[at + 9] ?? 0));
    } else return undefined;
  }
  return undefined;
}

/** Blocks start with their length; a block of length 0 is the last. */
function endOfBlocks(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at];
  return at + 1;
}
