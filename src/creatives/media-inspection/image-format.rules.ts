/** How wide and high an image is, in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** What is wrong with the frame of a file that a decoder does not look at; undefined where nothing is. */
type Fault = string | undefined;

const PNG_END = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);
const JPEG_END = Buffer.from([0xff, 0xd9]);
const GIF_TRAILER = 0x3b;

/** Whether a file is whole: each format says where it ends, and decoders are content without. */
export function faultOfFrame(bytes: Buffer, contentType: string): Fault {
  switch (contentType) {
    case 'image/png':
      return bytes.subarray(-PNG_END.length).equals(PNG_END) ? undefined : 'is a PNG image that does not end as one';
    case 'image/jpeg':
      return bytes.lastIndexOf(JPEG_END) > 0 ? undefined : 'is a JPEG image that ends before its end';
    case 'image/webp':
      return endsAt(bytes, bytes.readUInt32LE(4) + 8) ? undefined : 'is a WEBP image of another length than it says';
    case 'image/gif':
      return lastByteOf(bytes) === GIF_TRAILER ? undefined : 'is a GIF that ends before its end';
    default:
      return undefined;
  }
}

/** Some writers forget the byte that makes a length even. */
const endsAt = (bytes: Buffer, end: number) => end === bytes.length || end === bytes.length - 1;

function lastByteOf(bytes: Buffer): number | undefined {
  let at = bytes.length - 1;
  // writers pad with zeros
  while (at > 0 && bytes[at] === 0) at--;
  return bytes[at];
}

/** What tells how much of an image its decoder holds at once. */
interface Layout extends Size {
  format?: string;
  isProgressive?: boolean;
  channels?: number;
  depth?: string;
  chromaSubsampling?: string;
}

/**
 * How many bytes a decoder holds of an image whose rows do not come one after the other: of a progressive JPEG two for each
 * coefficient, of an interlaced PNG all samples, of a lossless WEBP four for each pixel.
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

/** Whether a WEBP image has its pixels in a chunk of the lossless kind. */
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
/** BI_RGB and BI_BITFIELDS: one value for each pixel, so that the length follows from the size. */
const PLAIN = [0, 3, 6];

/** The size of a BMP image, or what is wrong with it: nothing in one has to be decoded to know that it is whole. */
export function bmpSizeOf(bytes: Buffer): Size | string {
  if (bytes.length < 14 + INFO_HEADER || bytes.readUInt32LE(14) < INFO_HEADER)
    return 'is no BMP image of Windows 3 or later';
  const data = bytes.readUInt32LE(10);
  const width = bytes.readInt32LE(18);
  // rows from the top have a negative height
  const height = Math.abs(bytes.readInt32LE(22));
  const depth = bytes.readUInt16LE(28);
  const compression = bytes.readUInt32LE(30);
  if (width <= 0 || height === 0) return `is a BMP image of ${width} x ${height} pixels`;
  if (bytes.readUInt16LE(26) !== 1 || !DEPTHS.includes(depth)) return `is a BMP image of ${depth} bits to a pixel`;
  if (!PLAIN.includes(compression)) return 'is a compressed BMP image';
  const rowBytes = Math.ceil((width * depth) / 32) * 4;
  if (data < 14 + INFO_HEADER || data + rowBytes * height > bytes.length)
    return 'is a BMP image that ends before its end';
  return { width, height };
}
