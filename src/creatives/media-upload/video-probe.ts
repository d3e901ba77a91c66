import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Turns } from '../../common/turns.js';
import { type CategoryLimits, VIDEO_SIDE } from './media-limits.js';
import { invalidFile } from './upload-errors.js';
import type { FromReader, ToReader, VideoFacts } from './video-facts.js';
import { topBoxesOf, type ReadRange, type TopBox } from './video-layout.rules.js';

/** Beside this file where it is compiled; sources are run by tests, which build before. */
const READER = ['./video-reader.worker.js', '../../../dist/src/creatives/media-upload/video-reader.worker.js']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

/** What one video may cost its reader. */
const MOST_READS = 8_000;
const MOST_READ_BYTES = 64 * 1024 * 1024;
const LOOK_MS = 15_000;
const MEMORY_MIB = 128;
/** A thread that has had nothing to do for so long ends. */
const IDLE_MS = 10_000;

/** A video that was let in. */
export interface SeenVideo {
  width: number;
  height: number;
  /** In milliseconds. */
  duration: number;
  boxes: TopBox[];
}

const turns = new Turns(1);
let idle: { worker: Worker; timer: NodeJS.Timeout } | undefined;

/** Looks at a video of so many bytes, of which only some are read; refuses what the limits do not take. */
export async function lookAtVideo(read: ReadRange, size: number, limits: CategoryLimits): Promise<SeenVideo> {
  const boxes = await topBoxesOf(read, size);
  if (typeof boxes === 'string') throw invalidFile(`is a video that ${boxes}`);
  const facts = await turns.run(() => factsOf(read, size));
  const fault = faultOf(facts, limits);
  if (fault !== undefined) throw invalidFile(`is a video ${fault}`);
  return {
    width: Math.round(facts.width),
    height: Math.round(facts.height),
    duration: Math.round(facts.duration * 1_000),
    boxes,
  };
}

/** What is wrong with a video (facts 7.11); undefined where nothing is. */
export function faultOf({ width, height, duration, codec }: VideoFacts, limits: CategoryLimits): string | undefined {
  if (codec === undefined) return 'in a format that nobody knows; taken are H.264, H.265, VP8, VP9 and AV1';
  const { least, most } = VIDEO_SIDE;
  for (const side of [width, height]) {
    if (!(side >= least && side <= most))
      return `of ${width} x ${height} pixels; a side has ${least} to ${most} of them`;
  }
  const { duration: allowed } = limits;
  const ms = duration * 1_000;
  if (allowed && !(ms >= allowed.least && ms <= allowed.most))
    return `of ${Math.round(ms) / 1_000} seconds; ${allowed.least / 1_000} to ${allowed.most / 1_000} are taken`;
  return undefined;
}

async function factsOf(read: ReadRange, size: number): Promise<VideoFacts> {
  const worker = taken();
  let outage: Error | undefined;
  let reads = 0;
  let bytes = 0;
  const answer = (message: ToReader, transfer: ArrayBuffer[] = []) => worker.postMessage(message, transfer);
  const serve = async (id: number, start: number, end: number) => {
    reads++;
    bytes += end - start;
    if (reads > MOST_READS || bytes > MOST_READ_BYTES) return answer({ kind: 'bytes', id });
    try {
      const range = Uint8Array.from(await read(start, end));
      answer({ kind: 'bytes', id, bytes: range }, [range.buffer]);
    } catch (error) {
      outage = error as Error;
      answer({ kind: 'bytes', id });
    }
  };
  let ended = false;
  let hear: (message: FromReader) => void = () => undefined;
  let fail: () => void = () => undefined;
  try {
    return await new Promise<VideoFacts>((resolve, reject) => {
      const timer = setTimeout(() => reject(invalidFile('is a video that takes too long to read')), LOOK_MS);
      hear = (message) => {
        if (message.kind === 'read') return void serve(message.id, message.start, message.end);
        clearTimeout(timer);
        ended = true;
        if (outage) reject(outage);
        else if (message.kind === 'found') resolve(message.facts);
        else reject(invalidFile(`is a video that ${message.why}`));
      };
      // out of memory, or of the stack
      fail = () => {
        clearTimeout(timer);
        reject(invalidFile('is a video that cannot be read: it describes more than it can hold'));
      };
      worker.on('message', hear).on('error', fail);
      answer({ kind: 'look', size });
    });
  } finally {
    worker.off('message', hear).off('error', fail);
    if (ended) keep(worker);
    else await worker.terminate();
  }
}

function taken(): Worker {
  if (!idle) {
    if (READER === undefined) throw new Error('the reader of videos is not built');
    const worker = new Worker(READER, {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB, maxYoungGenerationSizeMb: 16 },
    });
    // what it fails with is told to whoever waits for it
    worker.on('error', () => undefined).unref();
    return worker;
  }
  const { worker, timer } = idle;
  clearTimeout(timer);
  idle = undefined;
  return worker;
}

function keep(worker: Worker): void {
  const timer = setTimeout(() => {
    idle = undefined;
    void worker.terminate();
  }, IDLE_MS).unref();
  idle = { worker, timer };
}
