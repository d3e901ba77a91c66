import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Resources } from '../../accounts/resources/resources.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { LIBRARY_MEDIA, type LibraryMedia } from '../entities/library-media.entity.js';
import { Media } from '../entities/media.entity.js';
import { mediaIdOf } from '../media-files/media-key.js';

/** Reads the media that cards and posts show. */
@Injectable()
export class LibraryMediaQueries {
  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
  ) {}

  /** Library media of an account by key, in one read. */
  async byKey(
    account: { id: string },
    mediaKeys: readonly string[],
    db = this.db.manager,
  ): Promise<ReadonlyMap<string, Row<LibraryMedia>>> {
    if (mediaKeys.length === 0) return new Map();
    const found = await this.resources.of(account, LIBRARY_MEDIA, db).whereIn('mediaKey', mediaKeys).getMany();
    return new Map(found.map((media) => [media.mediaKey, media]));
  }

  /** Files of the first frames of these videos by key, independent of library posters. */
  async firstFrames(mediaKeys: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    if (mediaKeys.length === 0) return new Map();
    const found = await rows(this.db.manager, Media).whereIn('id', mediaKeys.map(mediaIdOf)).getMany();
    const files = new Map(found.map(({ id, posterFile }) => [id, posterFile]));
    return new Map(mediaKeys.map((key) => [key, files.get(mediaIdOf(key)) ?? null]));
  }
}
