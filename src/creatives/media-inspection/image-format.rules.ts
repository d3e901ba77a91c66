/** Size of an image in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** A fault in the file structure that decoders do not check; undefined if there is none. */
type Fault = string | undefined;

const PNG_END = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);
const JPEG_END = Buffer.from([0xff, 0xd9]);
const GIF_TRAILER = 0x3b;

/** Checks that a file is complete. Each format marks its end, but decoders accept files without it. */
export function faultOfFrame(bytes: Buffer, contentType: string): Fault {
  switch (contentType) {
    case 'image/png':
      return bytes.subarray(-PNG_END.length).equals(PNG_END) ? undefined : 'is a PNG image that is cut off';
    case 'image/jpeg':
      return bytes.lastIndexOf(JPEG_END) > 0 ? undefined : 'is a JPEG image that is cut off';
    case 'image/webp':
      return endsAt(bytes, bytes.readUInt32LE(4) + 8)
        ? undefined
        : 'is a WEBP image whose length differs from its header';
    case 'image/gif':
      return lastByteOf(bytes) === GIF_TRAILER ? undefined : 'is a GIF that is cut off';
    default:
      return undefined;
  }
}

/** Some writers omit the byte that pads an odd length. */
const endsAt = (bytes: Buffer, end: number) => end === bytes.length || end === bytes.length - 1;

function lastByteOf(bytes: Buffer): number | undefined {
  let at = bytes.length - 1;
  // writers pad with zeros
  while (at > 0 && bytes[at] === 0) at--;
  return bytes[at];
}

/** Properties that determine how much of an image its decoder holds at once. */
interface Layout extends Size {
  format?: string;
  isProgressive?: boolean;
  channels?: number;
  depth?: string;
  chromaSubsampling?: string;
}

/**
 * Bytes that a decoder holds of an image whose rows are not in sequence: for a progressive JPEG two per coefficient,
 * for an interlaced PNG all samples, for a lossless WEBP four per pixel.
 */
export function heldBytesOf(
  bytes: Buffer,
  { width, height, format, isProgressive, channels = 4, depth, chromaSubsampling }: Layout,
): number {
  if (format === 'webp') return isLossless(bytes) ? width * height * 4 : 0;
  if (!isProgressive) return 0;
  if (format === 'jpeg') return width * height * 2 * (chromaSubsampling === '4:2:0' ? 1.5 : channels);
  return width * height * channels * (depth === 'ushort' ? 2 : 1);
}

/** Whether a WEBP image stores its pixels in a lossless chunk. */
function isLossless(bytes: Buffer): boolean {
  for (let at = 12; at + 8 <= bytes.length;) {
    if (bytes.toString('latin1', at, at + 4) === 'VP8L') return true;
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return false;
}

const INFO_HEADER = 40;
const DEPTHS = [1, 4, 8, 16, 24, 32];
/** BI_RGB and BI_BITFIELDS: one value per pixel, so the size determines the length. */
const PLAIN = [0, 3, 6];

/** Returns the size of a BMP image, or its fault. The header is enough to check that the file is complete. */
export function bmpSizeOf(bytes: Buffer): Size | string {
  if (bytes.length < 14 + INFO_HEADER || bytes.readUInt32LE(14) < INFO_HEADER)
    return 'is not a BMP image of Windows 3 or later';
  const data = bytes.readUInt32LE(10);
  const width = bytes.readInt32LE(18);
  // rows stored from the top have a negative height
  const height = Math.abs(bytes.readInt32LE(22));
  const depth = bytes.readUInt16LE(28);
  const compression = bytes.readUInt32LE(30);
  if (width <= 0 || height === 0) return `is a BMP image of ${width} x ${height} pixels`;
  if (bytes.readUInt16LE(26) !== 1 || !DEPTHS.includes(depth)) return `is a BMP image of ${depth} bits to a pixel`;
  if (!PLAIN.includes(compression)) return 'is a compressed BMP image';
  const rowBytes = Math.ceil((width * depth) / 32) * 4;
  if (data < 14 + INFO_HEADER || data + rowBytes * height > bytes.length) return 'is a BMP image that is cut off';
  return { width, height };
}
