import { parentPort } from 'node:worker_threads';
import { CustomSource, Input, Logging, LogLevel, MP4, QTFF } from 'mediabunny';
import type { FromReader, ToReader, VideoFacts } from './video-facts.js';

/**
 * Reads what a video says of itself, in a thread of its own: whatever a file makes of its reader, memory without end or a
 * loop, ends the thread and nothing else.
 */
// what it has to say is told by what it throws
Logging.level = LogLevel.Silent;

const port = parentPort!;
const tell = (message: FromReader) => port.postMessage(message);

let last = 0;
const waiting = new Map<number, { resolve: (bytes: Uint8Array) => void; reject: (error: Error) => void }>();

const read = (start: number, end: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve, reject });
    tell({ kind: 'read', id, start, end });
  });

async function look(size: number): Promise<VideoFacts | string> {
  const input = new Input({ formats: [MP4, QTFF], source: new CustomSource({ getSize: () => size, read }) });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track) return 'has no video in it';
    const [width, height, codec, duration] = [
      await track.getDisplayWidth(),
      await track.getDisplayHeight(),
      await track.getCodec(),
      await track.computeDuration(),
    ];
    return { width, height, duration, ...(codec && { codec }) };
  } catch {
    return 'cannot be read: it is damaged or cut off';
  } finally {
    input.dispose();
  }
}

port.on('message', (message: ToReader) => {
  if (message.kind === 'bytes') {
    const { resolve, reject } = waiting.get(message.id)!;
    waiting.delete(message.id);
    if (message.bytes) resolve(message.bytes);
    else reject(new Error('not to be had'));
    return;
  }
  void look(message.size).then((found) =>
    tell(typeof found === 'string' ? { kind: 'refused', why: found } : { kind: 'found', facts: found }),
  );
});
