import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BlobStore, type ByteRange } from '../../common/blobs/blob-store.js';
import { rows } from '../../common/db/query/rows.js';
import { blobKeyOf } from './media-key.js';
import { Media } from '../entities/media.entity.js';

/** Names of media files; other names are not looked up. */
const NAME = /^[a-z0-9][a-z0-9_-]{7,120}\.[a-z0-9]{3,4}$/;

@Injectable()
export class MediaFilesService {
  constructor(
    private readonly db: DataSource,
    private readonly store: BlobStore,
  ) {}

  /** Finds a file or poster to serve; undefined if it does not exist, is not ready or is deleted. */
  async find(file: string) {
    if (!NAME.test(file)) return undefined;
    const media = await rows(this.db.manager, Media)
      .where('state', 'SUCCEEDED')
      .whereAny(
        (each) => each.where('file', file),
        (each) => each.where('posterFile', file),
      )
      .getOne();
    if (!media) return undefined;
    const open = (range?: ByteRange) => this.store.open(blobKeyOf(file), range);
    return media.file === file
      ? { size: media.size, etag: media.sha256!, contentType: media.contentType!, open }
      : { size: media.posterSize!, etag: media.posterSha256!, contentType: 'image/jpeg', open };
  }
}
