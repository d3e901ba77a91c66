import { pipeline, Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { FeedFailure } from './feed-row.js';

/** What X takes. It is the size of the file that is unpacked. */
const MAX_BYTES = 8_000_000_000;
/** Larger chunks occupy the process longer. */
const CHUNK_BYTES = 32 * 1_024;

interface FeedTextOptions {
  /** Ends the reading, also of a small file that has arrived and unpacks to a large one. */
  signal?: AbortSignal;
  maxBytes?: number;
}

/** The text of a file in UTF-8, which may be packed with gzip, while it arrives. */
export async function* feedText(
  body: AsyncIterable<Buffer>,
  { signal, maxBytes = MAX_BYTES }: FeedTextOptions = {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  for await (const chunk of unpacked(body)) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new FeedFailure('The file is larger than 8 GB.');
    for (let from = 0; from < chunk.length; from += CHUNK_BYTES) {
      signal?.throwIfAborted();
      const text = decoded(decoder, chunk.subarray(from, from + CHUNK_BYTES));
      if (text !== '') yield text;
    }
  }
  const rest = decoded(decoder);
  if (rest !== '') yield rest;
}

function decoded(decoder: TextDecoder, chunk?: Buffer): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
  } catch {
    throw new FeedFailure('The file is not in UTF-8.');
  }
}

/** The bytes of a file. One that begins as gzip does is unpacked, whatever its headers and its name say. */
async function* unpacked(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let done: boolean | undefined;
  while (head.length < 2 && !done) {
    const next = await chunks.next();
    done = next.done;
    if (!next.done) head = Buffer.concat([head, next.value]);
  }
  const all = join(head, chunks);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* all;
    return;
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // failures reach the loop
  pipeline(Readable.from(all, { highWaterMark: 1 }), gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw /^(Z_|ERR_)/.test(code) ? new FeedFailure('The file is not complete, or no gzip.', true) : error;
  }
}

async function* join(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* { [Symbol.asyncIterator]: () => rest };
}
