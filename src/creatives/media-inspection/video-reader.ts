import { CustomSource, Input, Logging, LogLevel, MP4, QTFF } from 'mediabunny';
import { ApiError } from '../../common/errors/api-error.js';
import { endsAsArchive } from './archive.rules.js';
import type { VideoFacts } from './media-limits.js';
import { invalidFile } from './upload-errors.js';
import { VideoBoxes } from './video-boxes.rules.js';
import { topBoxesOf, type ReadRange, type TopLevelBox } from './video-layout.rules.js';

/** Boxes that describe media, with their maximum bytes. */
const DESCRIBING: Record<string, number> = {
  moov: 16 * 1024 * 1024,
  moof: 5 * 1024 * 1024,
  mfra: 2 * 1024 * 1024,
};
/** Limit on cached bytes of these boxes, which the library then need not read again. */
const MAX_KEPT = 24 * 1024 * 1024;

// errors are reported by exceptions
Logging.level = LogLevel.Silent;

/**
 * Reads the properties of a video of this size; throws a rejection. Tables are validated before anything allocates
 * memory for them.
 */
export async function readVideo(read: ReadRange, size: number): Promise<VideoFacts> {
  if (endsAsArchive(await read(Math.max(0, size - 65_557), size)))
    throw invalidFile('is also an archive: a file must have only one format');
  const boxes = await topBoxesOf(read, size);
  if (typeof boxes === 'string') throw invalidFile(`is a video that ${boxes}`);
  const describing = await judged(read, boxes);
  const input = new Input({
    formats: [MP4, QTFF],
    source: new CustomSource({ getSize: () => size, read: (start, end) => describing.read(start, end) }),
  });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track) throw invalidFile('is a video that has no video track');
    const [width, height, codec, duration] = [
      await track.getDisplayWidth(),
      await track.getDisplayHeight(),
      await track.getCodec(),
      await track.computeDuration(),
    ];
    return { width, height, duration, ...(codec && { codec }), boxes };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalidFile('is a video that cannot be read: it is damaged or cut off');
  } finally {
    input.dispose();
  }
}

/** Validates the boxes that describe media one by one, and caches the bytes read. */
async function judged(read: ReadRange, boxes: TopLevelBox[]) {
  const rules = new VideoBoxes();
  const kept: { start: number; bytes: Buffer }[] = [];
  let bytes = 0;
  for (const { type, start, end } of boxes) {
    const max = Object.hasOwn(DESCRIBING, type) ? DESCRIBING[type] : undefined;
    if (max === undefined) continue;
    if (end - start > max)
      throw invalidFile(`is a video that has a "${type}" box of ${end - start} bytes; at most ${max} are allowed`);
    const content = await read(start, end);
    const fault = rules.faultOf(content);
    if (fault !== undefined) throw invalidFile(`is a video that ${fault}`);
    bytes += content.length;
    if (bytes <= MAX_KEPT) kept.push({ start, bytes: Buffer.from(content) });
  }
  return {
    read(start: number, end: number): Uint8Array | Promise<Uint8Array> {
      const found = kept.find((each) => each.start <= start && end <= each.start + each.bytes.length);
      return found ? Uint8Array.from(found.bytes.subarray(start - found.start, end - found.start)) : read(start, end);
    },
  };
}
