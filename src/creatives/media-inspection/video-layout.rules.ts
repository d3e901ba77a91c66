/** A top-level box of a file (ISO/IEC 14496-12, 4.2). */
export interface TopLevelBox {
  type: string;
  start: number;
  /** Offset of the next box. */
  end: number;
}

/** Reads a byte range of a file: `start` inclusive, `end` exclusive. */
export type ReadRange = (start: number, end: number) => Promise<Buffer>;

/** Limit on top-level boxes: a one-second fragment has two, and a video lasts up to ten minutes. */
const MAX_BOXES = 4_000;
const HEADER = 16;
const WINDOW = 16 * 1024;

/** The boxes of a file, which must be contiguous to its end, or a fault. */
export async function topBoxesOf(read: ReadRange, size: number): Promise<TopLevelBox[] | string> {
  const boxes: TopLevelBox[] = [];
  let window: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  const headerAt = async (at: number): Promise<Buffer> => {
    const end = Math.min(at + HEADER, size);
    if (at < window.start || end > window.start + window.bytes.length)
      window = { start: at, bytes: await read(at, Math.min(at + WINDOW, size)) };
    return window.bytes.subarray(at - window.start, end - window.start);
  };
  for (let start = 0; start < size;) {
    if (boxes.length === MAX_BOXES) return `has more than ${MAX_BOXES} boxes`;
    const box = boxIn(await headerAt(start), start, size);
    if (typeof box === 'string') return box;
    boxes.push(box);
    start = box.end;
  }
  return faultOf(boxes) ?? boxes;
}

function boxIn(header: Buffer, start: number, size: number): TopLevelBox | string {
  if (header.length < 8) return 'ends in the middle of a box';
  const type = header.toString('latin1', 4, 8);
  if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) return `has data at byte ${start} that is not a box`;
  let length = header.readUInt32BE(0);
  // 0: to the end of the file. 1: the length follows the type
  if (length === 0) length = size - start;
  else if (length === 1) {
    if (header.length < HEADER) return 'ends in the middle of a box';
    length = Number(header.readBigUInt64BE(8));
    if (length < HEADER) return `has a box "${type}" of ${length} bytes`;
  } else if (length < 8) return `has a box "${type}" of ${length} bytes`;
  if (start + length > size) return `is cut off: the box "${type}" at byte ${start} declares ${length} bytes`;
  return { type, start, end: start + length };
}

function faultOf(boxes: TopLevelBox[]): string | undefined {
  const described = boxes.filter(({ type }) => type === 'moov');
  if (described.length !== 1)
    return described.length === 0 ? 'has no "moov" box, so it cannot be played' : 'has two "moov" boxes';
  if (!boxes.some(({ type }) => type === 'mdat')) return 'has no "mdat" box, so it contains no media';
  return undefined;
}
