import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ByteRange, OpenBlob } from '../../blobs/blob-store.js';
import { ApiError } from '../../errors/api-error.js';
import { pageNotFound } from '../../errors/catalogue.js';

const logger = new Logger('Blobs');

/** The stored metadata of a blob. */
export interface ServedBlob {
  /** In bytes. */
  size: number;
  /** Its SHA-256 or another value that changes with every byte, without quotation marks. */
  etag: string;
  /** The detected content type, never the one the client declared. */
  contentType: string;
  /** Time for which caches may keep it; forever by default. */
  cacheControl?: string;
  /** Opens the blob or a range of it; undefined when it is deleted. */
  open(range?: ByteRange): Promise<OpenBlob | undefined>;
}

/** A blob never changes: other content has another URL. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Answers GET and HEAD with a blob (RFC 9110): conditions by entity tag (13), one range (14; for several ranges the
 * whole blob is sent), 412, 416 and 304. Browsers run nothing in it. HEAD and 304 do not access the store.
 */
export async function sendBlob(request: FastifyRequest, reply: FastifyReply, blob: ServedBlob): Promise<void> {
  const { size, contentType, cacheControl = FOR_EVER } = blob;
  const etag = `"${blob.etag}"`;
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (ifMatch !== undefined && !lists(ifMatch, etag, 'strong')) {
    throw new ApiError(412, 'INVALID_PARAMETER', `Expected ${etag} for If-Match, got ${ifMatch}`, {
      parameter: 'If-Match',
      value: ifMatch,
    });
  }
  const cached = { etag, 'cache-control': cacheControl, 'accept-ranges': 'bytes' };
  if (ifNoneMatch !== undefined && lists(ifNoneMatch, etag, 'weak')) {
    return void (await reply.headers(cached).status(304).send());
  }

  const range = request.method === 'GET' ? rangeOf(request, etag, size) : undefined;
  if (range === 'unsatisfiable') {
    throw new ApiError(
      416,
      'INVALID_PARAMETER',
      `Expected a range within ${size} bytes for Range, got "${request.headers.range}"`,
      { parameter: 'Range', value: request.headers.range },
      { 'content-range': `bytes */${size}`, 'cache-control': 'no-store' },
    );
  }
  // Without a body Fastify would set a content length of 0.
  const content = request.method === 'HEAD' ? Readable.from([]) : await contentOf(blob, range);
  reply.headers({
    ...cached,
    'content-type': contentType,
    'content-length': range ? range.last - range.first + 1 : size,
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    ...(range && { 'content-range': `bytes ${range.first}-${range.last}/${size}` }),
  });
  await reply.status(range ? 206 : 200).send(content);
}

async function contentOf(blob: ServedBlob, range: ByteRange | undefined) {
  const opened = await blob.open(range);
  if (opened) return opened.content;
  logger.error({ etag: blob.etag }, 'the blob store lacks a blob that the database lists');
  throw pageNotFound();
}

/** RFC 9110, 13.1.5: with `If-Range` a range applies only when the client has this version. */
function rangeOf({ headers }: FastifyRequest, etag: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  return parseRange(range, size);
}

/** RFC 9110, 14.1.2 and 14.2: one range of bytes; undefined for ranges to ignore: several, another unit, invalid. */
function parseRange(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header) ?? [];
  if (from === undefined || (from === '' && to === '')) return undefined;
  if (from === '') {
    const suffix = Number(to);
    if (suffix === 0 || size === 0) return 'unsatisfiable';
    return { first: Math.max(0, size - suffix), last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? Infinity : Number(to);
  if (last < first) return undefined;
  return first >= size ? 'unsatisfiable' : { first, last: Math.min(last, size - 1) };
}

/** Whether a list of entity tags contains this one (RFC 9110, 8.8.3.2). */
function lists(header: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (header.trim() === '*') return true;
  return header
    .split(',')
    .map((each) => each.trim())
    .some((each) => each === etag || (comparison === 'weak' && each === `W/${etag}`));
}
