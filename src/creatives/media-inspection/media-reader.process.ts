import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { ApiError } from '../../common/errors/api-error.js';
import type { FromReader, Readings, Task, ToReader } from './media-reader.messages.js';
import type { ReadRange } from './video-layout.rules.js';

/**
 * The process that decodes and reads untrusted files, so that a malicious file can crash only this process. It has no
 * environment and no handles except the channel to its parent, which sends it ranges of the file.
 */

/** Ranges are sent in pieces, so that neither side is blocked for long. */
const PIECE = 1024 * 1024;

// exits with its parent; a thread checks too, because a busy event loop misses the event
process.on('disconnect', () => process.exit());
new Worker(
  `const parent = process.ppid; setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);`,
  { eval: true, resourceLimits: { maxOldGenerationSizeMb: 4, maxYoungGenerationSizeMb: 1 } },
).unref();
// Ctrl-C reaches all processes of a terminal; the parent ends this one
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
try {
  // the kernel ends this process first when memory runs out
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // not available on this system
}

const tell = (message: FromReader) => process.send?.(message);

let last = 0;
const waiting = new Map<number, (bytes: Uint8Array | undefined) => void>();

const piece = (start: number, end: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, (bytes) => {
      if (bytes) resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      else reject(new Error('the bytes are not available'));
    });
    tell({ kind: 'range', id, start, end });
  });

const range: ReadRange = async (start, end) => {
  if (end - start <= PIECE) return piece(start, end);
  const bytes = Buffer.allocUnsafe(end - start);
  for (let at = start; at < end; at += PIECE) (await piece(at, Math.min(end, at + PIECE))).copy(bytes, at - start);
  return bytes;
};

type Reader<K extends keyof Readings> = (task: Readings[K]['task']) => Promise<Readings[K]['found']>;

/** Each task loads its libraries when it first runs. */
const READERS: { [K in keyof Readings]: Reader<K> } = {
  image: async ({ size, kind }) => (await import('./image-probe.js')).readImage(await range(0, size), kind),
  video: async ({ size }) => (await import('./video-reader.js')).readVideo(range, size),
  frame: async ({ bytes, ...size }) => (await import('./image-probe.js')).posterOfFrame(await range(0, bytes), size),
  neutral: async (size) => (await import('./image-probe.js')).neutralPoster(size),
};

async function answerOf(task: Task): Promise<FromReader> {
  try {
    return { kind: 'found', found: await (READERS[task.what] as (task: Task) => Promise<unknown>)(task) };
  } catch (error) {
    return { kind: 'refused', why: error instanceof ApiError ? error.message : 'media cannot be read' };
  }
}

process.on('message', (message: ToReader) => {
  if (message.kind === 'bytes') {
    waiting.get(message.id)?.(message.bytes);
    waiting.delete(message.id);
    return;
  }
  // it cannot tell when nobody is there any more
  answerOf(message.task)
    .then(tell)
    .catch(() => process.exit(1));
});
