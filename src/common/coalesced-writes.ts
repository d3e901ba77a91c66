import type { Writable } from 'node:stream';

/**
 * Holds back what is written to a stream until the end of this turn of the event loop, and then writes all of it with one
 * system call, which for small messages is most of what they cost. To be called before each write.
 */
export function coalesceWrites(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
