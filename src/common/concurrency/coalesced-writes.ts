import type { Writable } from 'node:stream';

/**
 * Buffers writes to a stream until the end of this turn of the event loop, and sends them with one system call, which
 * is most of the cost of small messages. Call it before each write.
 */
export function coalesceWrites(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
