import { createHash } from 'node:crypto';
import { PassThrough, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Unavailable } from '../errors/unavailable.js';

/** A range of bytes, first and last included, as in RFC 9110, 14.1.2. */
export interface ByteRange {
  first: number;
  last: number;
}

/** The metadata of a stored blob: keep it beside the key, because the store does not return it again. */
export interface StoredBlob {
  size: number;
  /** SHA-256 in hexadecimal. */
  sha256: string;
}

export interface OpenBlob {
  content: Readable;
  /** Of the whole blob, in bytes. */
  size: number;
  /** The range in `content`, if a part was requested. */
  range?: ByteRange;
}

/** Metadata of a blob before it is stored. */
export interface BlobMetadata {
  /** For stores that keep it; the code that serves the blob sets its type itself. */
  contentType: string;
  /** In bytes: content of another length is not stored. */
  length?: number;
}

/** One part of an upload, as returned by `putPart`. */
export interface StoredPart extends StoredBlob {
  index: number;
}

/** The store is unavailable, too slow, or full: retry later (503). */
export class BlobStoreUnavailable extends Unavailable {
  constructor(cause: unknown) {
    super(`the blob store is not available: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Content that differs from its description: truncated, modified in transit, or missing. */
export class BlobDamaged extends Error {}

const SEGMENT = /^[a-z0-9_-][a-z0-9._-]{0,127}$/;
const MAX_KEY_LENGTH = 512;

/** Lower case only, since some disks are case-insensitive. A key is never a prefix path of another (`a` and `a/b`). */
export function assertKey(key: string): void {
  if (key.length > MAX_KEY_LENGTH || !key.split('/').every((segment) => SEGMENT.test(segment))) {
    throw new Error(`"${key.slice(0, MAX_KEY_LENGTH)}" is not a valid blob key`);
  }
}

/**
 * The file storage for uploaded media, files derived from it, and files of statistics. Blobs are written once, atomically,
 * and never changed; callers create keys from random names. Content is streamed and never buffered as a whole. Injected under this class.
 * Temporary failures throw BlobStoreUnavailable, a failing source its own error.
 */
export abstract class BlobStore {
  /** Stores content; replaces an existing blob with the same key atomically. */
  abstract put(key: string, content: Readable, about: BlobMetadata): Promise<StoredBlob>;

  /** A blob or a range of it, which must be read to its end or destroyed; undefined when it does not exist. */
  abstract open(key: string, range?: ByteRange): Promise<OpenBlob | undefined>;

  /** The size of a blob, without opening it. */
  abstract stat(key: string): Promise<{ size: number } | undefined>;

  /** Deletes a blob; succeeds if it does not exist. */
  abstract delete(key: string): Promise<void>;

  /** Deletes every blob below a key (`a` for `a/b` and `a/b/c`). */
  abstract deleteBelow(key: string): Promise<void>;

  /** Removes temporary files of writers that crashed before this time; returns their number. For a daily job. */
  abstract removeLeftovers(before: Date): Promise<number>;

  /**
   * Stores one part of an upload, in any order and from any replica; a repeated part replaces the previous one. Parts
   * are separate blobs of any size: those of S3 have at least 5 MiB, which is more than clients send.
   */
  async putPart(upload: string, index: number, content: Readable, length?: number): Promise<StoredPart> {
    const about = { contentType: 'application/octet-stream', ...(length !== undefined && { length }) };
    return { index, ...(await this.put(partKey(upload, index), content, about)) };
  }

  /** A part of an incomplete upload. */
  openPart(upload: string, index: number): Promise<OpenBlob | undefined> {
    return this.open(partKey(upload, index));
  }

  /** Whether an upload has a part with this index, of any content. */
  async hasPart(upload: string, index: number): Promise<boolean> {
    return (await this.stat(partKey(upload, index))) !== undefined;
  }

  /** Whether the stored part has the content described. Reads all of it. */
  async isPart(upload: string, { index, sha256 }: StoredPart): Promise<boolean> {
    const part = await this.openPart(upload, index);
    if (!part) return false;
    const hash = createHash('sha256');
    for await (const chunk of part.content as AsyncIterable<Buffer>) hash.update(chunk);
    return hash.digest('hex') === sha256;
  }

  /** Deletes one part of an upload; succeeds if it does not exist. */
  async deletePart(upload: string, index: number): Promise<void> {
    await this.delete(partKey(upload, index));
  }

  /** Joins the parts of an upload in the given order, checks each against its digest, and then deletes them. */
  async complete(upload: string, parts: StoredPart[], key: string, about: BlobMetadata): Promise<StoredBlob> {
    const joined = Readable.from(this.contentOf(upload, parts), { objectMode: false });
    const length = parts.reduce((sum, { size }) => sum + size, 0);
    const stored = await this.put(key, joined, { ...about, length });
    await this.abort(upload);
    return stored;
  }

  /** Deletes the parts of an upload. */
  async abort(upload: string): Promise<void> {
    await this.deleteBelow(uploadKey(upload));
  }

  private async *contentOf(upload: string, parts: StoredPart[]): AsyncGenerator<Buffer> {
    for (const { index, sha256 } of parts) {
      const part = await this.open(partKey(upload, index));
      if (!part) throw new BlobDamaged(`part ${index} of upload ${upload} is missing`);
      const hash = createHash('sha256');
      for await (const chunk of part.content as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
      if (hash.digest('hex') !== sha256)
        throw new BlobDamaged(`part ${index} of upload ${upload} differs from what was sent`);
    }
  }
}

const uploadKey = (upload: string) => `uploads/${upload}`;
const partKey = (upload: string, index: number) => `${uploadKey(upload)}/${index}`;

/**
 * Content that is measured on its way into a store. Fails when its length differs from the declared one. `failure` is
 * the source's own error, to distinguish it from errors of the store.
 */
export class MeasuredContent {
  readonly stream: Transform;
  /** The error of the source, if it failed. */
  failure?: unknown;
  private readonly hash = createHash('sha256');
  private size = 0;

  constructor(source: Readable, length?: number) {
    this.stream = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.size += chunk.length;
        if (length !== undefined && this.size > length) return done(this.unlike(length));
        this.hash.update(chunk);
        done(null, chunk);
      },
      flush: (done) => done(length !== undefined && this.size !== length ? this.unlike(length) : null),
    });
    this.stream.on('error', () => undefined);
    if (source.errored) this.failure = source.errored;
    // A failing store ends its source too; then the stream between them has failed first.
    source.once('error', (error) => {
      if (!this.stream.destroyed) this.failure ??= error;
    });
    pipeline(source, this.stream).catch(() => undefined);
  }

  /** The metadata, after all content has passed. */
  stored(): StoredBlob {
    return { size: this.size, sha256: this.hash.digest('hex') };
  }

  private unlike(length: number): BlobDamaged {
    const error = new BlobDamaged(`the content does not have the declared length of ${length} bytes`);
    this.failure = error;
    return error;
  }
}

/** The same content, which fails if it ends before `length` bytes. */
export function requireLength(content: Readable, length: number): Readable {
  let left = length;
  const whole = new PassThrough({
    transform: (chunk: Buffer, _encoding, done) => {
      left -= chunk.length;
      done(null, chunk);
    },
    flush: (done) => done(left === 0 ? null : new BlobDamaged('a blob is shorter than its stored length')),
  });
  pipeline(content, whole).catch(() => undefined);
  return whole;
}
