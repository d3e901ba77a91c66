/** Limit on all boxes in a file: 2,000 fragments of two tracks have 30,000. */
const MAX_BOXES = 100_000;
const MAX_DEPTH = 12;
/** Limit on samples: ten minutes of 500 frames per second. */
const MAX_SAMPLES = 300_000;
/** Limit on the samples of all fragments of all tracks. */
const MAX_FRAGMENT_SAMPLES = 3_000_000;
const MAX_ENTRIES = 500_000;
const MAX_EDITS = 1_000;
const MAX_TRACKS = 100;
const MAX_DESCRIPTIONS = 64;

/** Boxes that contain boxes (ISO/IEC 14496-12, 4.2), limited to those that describe samples. */
const CONTAINERS = new Set(
  'moov trak mdia minf dinf edts stbl mvex moof traf mfra udta meta sinf schi wave'.split(' '),
);
/** Boxes with checks beyond the table below. */
const JUDGED = new Set(['trun', 'elst', 'tfra', 'stsz', 'stz2']);

/** Tables: offset of the entry count after version and flags, bytes per entry, and maximum entries. */
const TABLES: Record<string, { at: number; bytes: number; max: number }> = {
  stts: { at: 4, bytes: 8, max: MAX_ENTRIES },
  ctts: { at: 4, bytes: 8, max: MAX_ENTRIES },
  stss: { at: 4, bytes: 4, max: MAX_ENTRIES },
  stps: { at: 4, bytes: 4, max: MAX_ENTRIES },
  stsc: { at: 4, bytes: 12, max: MAX_ENTRIES },
  stco: { at: 4, bytes: 4, max: MAX_ENTRIES },
  co64: { at: 4, bytes: 8, max: MAX_ENTRIES },
  stsd: { at: 4, bytes: 8, max: MAX_DESCRIPTIONS },
};

interface Box {
  type: string;
  content: number;
  end: number;
}

/** State of the sample table that the walk is in. */
interface Samples {
  timed: number;
  shifted: number;
}

/**
 * Validates the claims of a video's boxes before a library allocates memory for them. Each table must contain the
 * entries that it counts. Counts, boxes and nesting have limits. The work is linear in the bytes. Use one instance per
 * file, because some limits apply to the whole file.
 */
export class VideoBoxes {
  private boxes = 0;
  private tracks = 0;
  private fragmentSamples = 0;

  /** Validates one complete box including its header. Returns its fault, or undefined. */
  faultOf(bytes: Buffer): string | undefined {
    return this.walk(bytes, 0, bytes.length, 0, { samples: { timed: 0, shifted: 0 }, inFragment: { samples: 0 } });
  }

  private walk(
    bytes: Buffer,
    start: number,
    end: number,
    depth: number,
    known: { samples: Samples; inFragment: { samples: number } },
  ): string | undefined {
    if (depth > MAX_DEPTH) return `has boxes nested more than ${MAX_DEPTH} levels deep`;
    for (let at = start; at + 8 <= end;) {
      const box = boxAt(bytes, at, end);
      // the remaining bytes are not a box, and no reader parses them as one
      if (!box) return undefined;
      if (box.end > end) {
        // for a box that no reader parses, the length only means that nothing follows
        if (!isJudged(box.type)) return undefined;
        return `has a box "${box.type}" of ${box.end - at} bytes in a box that has only ${end - at} bytes left`;
      }
      if (++this.boxes > MAX_BOXES) return `has more than ${MAX_BOXES} boxes in its description`;
      const fault = CONTAINERS.has(box.type)
        ? this.inside(bytes, box, depth, known)
        : this.faultOfTable(bytes, box, known);
      if (fault !== undefined) return fault;
      at = box.end;
    }
    return undefined;
  }

  private inside(
    bytes: Buffer,
    { type, content, end }: Box,
    depth: number,
    known: { samples: Samples; inFragment: { samples: number } },
  ): string | undefined {
    if (type === 'trak' && ++this.tracks > MAX_TRACKS) return `has more than ${MAX_TRACKS} tracks`;
    // one of the two variants has a version and flags
    const first = type === 'meta' && content + 4 <= end && bytes.readUInt32BE(content) === 0 ? content + 4 : content;
    if (type !== 'stbl') return this.walk(bytes, first, end, depth + 1, known);
    const samples = { timed: 0, shifted: 0 };
    const fault = this.walk(bytes, content, end, depth + 1, { ...known, samples });
    if (fault !== undefined) return fault;
    // samples displayed out of storage order are sorted one by one
    if (samples.shifted > 0 && Math.max(samples.timed, samples.shifted) > MAX_SAMPLES)
      return tooMany('stts and ctts', Math.max(samples.timed, samples.shifted), 'samples', MAX_SAMPLES);
    return undefined;
  }

  private faultOfTable(
    bytes: Buffer,
    box: Box,
    known: { samples: Samples; inFragment: { samples: number } },
  ): string | undefined {
    const { type, content, end } = box;
    switch (type) {
      case 'trun':
        return this.faultOfRun(bytes, box, known.inFragment);
      case 'elst': {
        const isLong = end > content && bytes[content] === 1;
        return faultOfEntries(bytes, box, { at: 4, bytes: isLong ? 20 : 12, max: MAX_EDITS });
      }
      case 'tfra': {
        if (content + 12 > end) return cutOff(type);
        const isLong = bytes[content] === 1;
        const sizes = bytes.readUInt32BE(content + 8);
        const parts = ((sizes >> 4) & 3) + ((sizes >> 2) & 3) + (sizes & 3) + 3;
        return faultOfEntries(bytes, box, { at: 12, bytes: (isLong ? 16 : 8) + parts, max: 20_000 });
      }
      case 'stsz': {
        if (content + 12 > end) return cutOff(type);
        // samples of equal size have no entries
        if (bytes.readUInt32BE(content + 4) !== 0) return undefined;
        return faultOfEntries(bytes, box, { at: 8, bytes: 4, max: MAX_ENTRIES });
      }
      case 'stz2':
        return faultOfEntries(bytes, box, { at: 8, bytes: bytes[content + 7] / 8, max: MAX_ENTRIES });
      default: {
        if (!Object.hasOwn(TABLES, type)) return undefined;
        const fault = faultOfEntries(bytes, box, TABLES[type]);
        if (fault !== undefined || (type !== 'stts' && type !== 'ctts')) return fault;
        const count = samplesIn(bytes, content);
        if (type === 'stts') known.samples.timed += count;
        else known.samples.shifted += count;
        return undefined;
      }
    }
  }

  private faultOfRun(bytes: Buffer, { content, end }: Box, fragment: { samples: number }): string | undefined {
    if (content + 8 > end) return cutOff('trun');
    const flags = bytes.readUIntBE(content + 1, 3);
    const samples = bytes.readUInt32BE(content + 4);
    const has = (flag: number) => ((flags & flag) !== 0 ? 4 : 0);
    const first = content + 8 + has(0x1) + has(0x4);
    const each = has(0x100) + has(0x200) + has(0x400) + has(0x800);
    if (first + samples * each > end) return counted('trun', samples, end - content);
    fragment.samples += samples;
    this.fragmentSamples += samples;
    if (fragment.samples > MAX_SAMPLES) return tooMany('moof', fragment.samples, 'samples', MAX_SAMPLES);
    if (this.fragmentSamples > MAX_FRAGMENT_SAMPLES)
      return `has more than ${MAX_FRAGMENT_SAMPLES} samples in its fragments`;
    return undefined;
  }
}

const isJudged = (type: string) => CONTAINERS.has(type) || JUDGED.has(type) || Object.hasOwn(TABLES, type);

/** The box at this offset; undefined if there is none. Its end may exceed that of the parent box. */
function boxAt(bytes: Buffer, at: number, end: number): Box | undefined {
  const type = bytes.toString('latin1', at + 4, at + 8);
  const length = bytes.readUInt32BE(at);
  if (length === 1) {
    if (at + 16 > end) return undefined;
    const long = Number(bytes.readBigUInt64BE(at + 8));
    return long < 16 ? undefined : { type, content: at + 16, end: at + long };
  }
  // 0: to the end
  if (length === 0) return { type, content: at + 8, end };
  return length < 8 ? undefined : { type, content: at + 8, end: at + length };
}

function faultOfEntries(
  bytes: Buffer,
  { type, content, end }: Box,
  table: { at: number; bytes: number; max: number },
): string | undefined {
  const first = content + table.at + 4;
  if (first > end) return cutOff(type);
  const count = bytes.readUInt32BE(content + table.at);
  if (count > table.max) return tooMany(type, count, 'entries', table.max);
  return first + count * table.bytes > end ? counted(type, count, end - content) : undefined;
}

/** Number of samples in a run-length table. */
function samplesIn(bytes: Buffer, content: number): number {
  const last = content + 8 + bytes.readUInt32BE(content + 4) * 8;
  let samples = 0;
  for (let at = content + 8; at < last; at += 8) samples += bytes.readUInt32BE(at);
  return samples;
}

const cutOff = (type: string) => `has a box "${type}" that is cut off`;
const counted = (type: string, count: number, bytes: number) =>
  `has a box "${type}" that declares ${count} entries in ${bytes} bytes`;
const tooMany = (type: string, count: number, what: string, max: number) =>
  `has a box "${type}" of ${count} ${what}; at most ${max} are allowed`;
