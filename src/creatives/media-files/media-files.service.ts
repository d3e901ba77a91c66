import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { BlobStore, type ByteRange } from '../../common/blobs/blob-store.js';
import { rows, type Rows } from '../../common/db/query/rows.js';
import { blobKeyOf } from './media-key.js';
import type { ServedBlob } from '../../common/http/answers/send-blob.js';
import { Media } from '../entities/media.entity.js';
import { webVttOf } from './web-vtt.rules.js';

/** Names of media files; other names are not looked up. */
const NAME = /^[a-z0-9][a-z0-9_-]{7,120}\.[a-z0-9]{3,4}$/;

/** Bytes of converted subtitles that a process keeps, so that it need not convert them for each request. */
const CONVERTED_BYTES = 16 * 1024 * 1024;

/** Converted subtitles. */
interface WebVtt {
  bytes: Buffer;
  etag: string;
}

@Injectable()
export class MediaFilesService {
  private readonly converted = new LRUCache<string, WebVtt>({
    maxSize: CONVERTED_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
    fetchMethod: (srt) => this.asWebVtt(srt),
  });

  constructor(
    private readonly db: DataSource,
    private readonly store: BlobStore,
  ) {}

  /** Finds a file or poster to serve; undefined if it does not exist, is not ready or is deleted. SRT is also WebVTT. */
  async find(file: string): Promise<ServedBlob | undefined> {
    if (!NAME.test(file)) return undefined;
    const srt = file.endsWith('.vtt') ? file.replace(/vtt$/, 'srt') : undefined;
    const media = await rows(this.db.manager, Media)
      .where('state', 'SUCCEEDED')
      .whereAny(
        (each) => each.where('file', file),
        (each) => each.where('posterFile', file),
        ...(srt === undefined ? [] : [(each: Rows<Media>) => each.where('file', srt)]),
      )
      .getOne();
    if (!media) return undefined;
    if (srt !== undefined && media.file === srt) return this.servedAsWebVtt(srt);
    const open = (range?: ByteRange) => this.store.open(blobKeyOf(file), range);
    return media.file === file
      ? { size: media.size, etag: media.sha256!, contentType: media.contentType!, open }
      : { size: media.posterSize!, etag: media.posterSha256!, contentType: 'image/jpeg', open };
  }

  private async servedAsWebVtt(srt: string): Promise<ServedBlob | undefined> {
    const found = await this.converted.fetch(srt);
    if (!found) return undefined;
    const { bytes, etag } = found;
    const open = ({ first, last }: ByteRange = { first: 0, last: bytes.length - 1 }) =>
      Promise.resolve({
        content: Readable.from([bytes.subarray(first, last + 1)], { objectMode: false }),
        size: bytes.length,
      });
    return {
      size: bytes.length,
      etag,
      contentType: 'text/vtt',
      open,
    };
  }

  /** A file of subtitles has at most 1 MiB. */
  private async asWebVtt(srt: string): Promise<WebVtt | undefined> {
    const blob = await this.store.open(blobKeyOf(srt));
    if (!blob) return undefined;
    const bytes = Buffer.from(webVttOf(await text(blob.content)));
    return { bytes, etag: createHash('sha256').update(bytes).digest('hex') };
  }
}
