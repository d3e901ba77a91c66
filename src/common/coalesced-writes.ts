import type { Writable } from 'node:stream';

/** What is written in one turn of the event loop leaves in one piece: for small messages system calls are most of the cost. */
export function coalesceWrites(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
