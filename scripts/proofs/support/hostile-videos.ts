/** Videos of a few kilobytes or megabytes that claim more than a reader can hold, or that cost it more time than they are worth. */

const box = (type: string, ...content: Buffer[]): Buffer => {
  const bytes = Buffer.concat([Buffer.alloc(8), ...content]);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.write(type, 4, 'latin1');
  return bytes;
};

const u32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(value >>> 0, i * 4));
  return bytes;
};

/** Version and flags, then numbers. */
const full = (type: string, versionAndFlags: number, ...values: number[]): Buffer =>
  box(type, u32(versionAndFlags, ...values));

const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
const AVCC = Buffer.from('0142c01effe1000d6742c01e95a014016e9b8080808101000468ce3c80', 'hex');
const TIMESCALE = 1_000;

interface Claims {
  /** Sample tables; each takes the place of an empty one. */
  tables?: Record<string, Buffer>;
  /** The content of the box `edts`. */
  edits?: Buffer;
  /** Sample runs of one fragment. */
  runs?: Buffer[];
  /** What follows the codec in the description of a second track's samples, where no rule looks. */
  hidden?: Buffer;
}

/** A video of 640 x 360 pixels in H.264 that is right apart from what it claims. */
function video({ tables = {}, edits, runs, hidden }: Claims): Buffer {
  const fragments = runs || hidden ? [box('mvex', full('trex', 0, 1, 1, 33, 0, 0))] : [];
  const traks = [track(1, { tables, edits }), ...(hidden ? [track(2, { hidden })] : [])];
  const mvhd = full('mvhd', 0, 0, 0, TIMESCALE, 0, 0x10000, 0x1000000, 0, 0, ...MATRIX, 0, 0, 0, 0, 0, 0, 3);
  return Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2avc1mp41', 'latin1')),
    box('moov', mvhd, ...fragments, ...traks),
    ...(runs ? [fragment(runs)] : []),
    box('mdat', Buffer.alloc(1_500)),
  ]);
}

/** A fragment of the first track. */
const fragment = (runs: Buffer[]): Buffer =>
  box('moof', full('mfhd', 0, 1), box('traf', full('tfhd', 0x20000, 1), full('tfdt', 0, 0), ...runs));

function track(id: number, { tables = {}, edits, hidden }: Claims): Buffer {
  const entry = Buffer.alloc(78);
  entry.writeUInt16BE(1, 6);
  entry.writeUInt16BE(640, 24);
  entry.writeUInt16BE(360, 26);
  const table = (type: string, ...values: number[]) => tables[type] ?? full(type, 0, ...values);
  const stbl = box(
    'stbl',
    box('stsd', u32(0, 1), box('avc1', entry, box('avcC', AVCC), ...(hidden ? [hidden] : []))),
    table('stts', 0),
    ...(tables.ctts ? [tables.ctts] : []),
    table('stsc', 0),
    table('stsz', 0, 0),
    table('stco', 0),
  );
  const handler = box('hdlr', u32(0, 0), Buffer.from('vide'), Buffer.alloc(13));
  return box(
    'trak',
    full('tkhd', 3, 0, 0, id, 0, 0, 0, 0, 0, 0, ...MATRIX, 640 << 16, 360 << 16),
    ...(edits ? [box('edts', edits)] : []),
    box('mdia', full('mdhd', 0, 0, 0, TIMESCALE, 0, 0), handler, box('minf', stbl)),
  );
}

/** One run of so many samples, none of which takes a byte. */
export const samplesFromNowhere = (samples = 20_000_000): Buffer => video({ runs: [full('trun', 0, samples)] });

/** So many runs of so many samples each. */
export const runsFromNowhere = (runs: number, samples: number): Buffer =>
  video({ runs: Array.from({ length: runs }, () => full('trun', 0, samples)) });

/** The same, in a place where only the library looks: it ends whoever reads it. */
export const hiddenSamples = (samples = 20_000_000): Buffer => video({ hidden: fragment([full('trun', 0, samples)]) });

/** Two samples tables of one entry each that stand for so many samples, which a reader has to sort. */
export const sortedFromNowhere = (samples = 20_000_000): Buffer =>
  video({ tables: { stts: full('stts', 0, 1, samples, 1), ctts: full('ctts', 0, 1, samples, 5) } });

/** An edit list of so many entries, none of which is the one that a reader looks for. */
export function manyEdits(entries = 900_000): Buffer {
  const list = Buffer.alloc(8 + entries * 12);
  list.writeUInt32BE(entries, 4);
  for (let at = 8; at < list.length; at += 12) {
    list.writeUInt32BE(1, at);
    list.writeInt32BE(-1, at + 4);
    list.writeUInt32BE(0x10000, at + 8);
  }
  return video({ edits: box('elst', list) });
}

/** So many boxes without content inside of the description. */
export const manyBoxes = (boxes: number): Buffer =>
  video({ edits: Buffer.concat(Array.from({ length: boxes }, () => box('free'))) });
