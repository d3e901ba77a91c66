import { Readable } from 'node:stream';
import { ApiError } from '../../common/errors/api-error.js';

/** Content whose first bytes are known. */
export interface PeekedContent {
  head: Buffer;
  /**
   * The whole content including the head. It is not a stream, because each stream in a chain buffers data of its own.
   */
  content: AsyncIterable<Buffer>;
}

/** Reads the first bytes of a stream; fewer than `max` only if the content is shorter. */
export async function peek(content: Readable, max: number): Promise<PeekedContent> {
  const pieces = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const read: Buffer[] = [];
  let bytes = 0;
  while (bytes < max) {
    const next = await pieces.next();
    if (next.done) break;
    read.push(next.value);
    bytes += next.value.length;
  }
  const begun = Buffer.concat(read);
  async function* whole() {
    try {
      if (begun.length > 0) yield begun;
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
    } finally {
      await pieces.return?.();
    }
  }
  return { head: begun.subarray(0, max), content: whole() };
}

/**
 * Passes on at most `max` bytes of the content. At its end, `accept` gets the number of bytes that arrived: if it rejects them,
 * the content fails, so that a store keeps none of it.
 */
export function acceptBytes(
  content: AsyncIterable<Buffer>,
  max: number,
  accept: (bytes: number) => Promise<void>,
): Readable {
  async function* accepted() {
    let bytes = 0;
    for await (const piece of content) {
      bytes += piece.length;
      if (bytes <= max) yield piece;
    }
    await accept(bytes);
  }
  return Readable.from(accepted(), { objectMode: false });
}

/** Passes the content on and fails with 413 if it exceeds `max` bytes. */
export function limitBytes(content: AsyncIterable<Buffer>, max: number, what: string): Readable {
  async function* bounded() {
    let bytes = 0;
    for await (const piece of content) {
      bytes += piece.length;
      if (bytes > max) throw new ApiError(413, 214, `${what} must have at most ${max} bytes`);
      yield piece;
    }
  }
  return Readable.from(bounded(), { objectMode: false });
}
