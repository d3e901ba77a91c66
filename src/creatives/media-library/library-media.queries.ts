import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { LIBRARY_MEDIA, type LibraryMedia } from '../entities/library-media.entity.js';
import { Media } from '../entities/media.entity.js';
import { mediaIdOf } from '../media-files/media-key.js';

/** Reads the media that cards and posts show. */
@Injectable()
export class LibraryMediaQueries {
  constructor(private readonly resources: Resources) {}

  /** Library media of an account by key, in one read. */
  async byKey(
    account: AccountReader,
    mediaKeys: readonly string[],
    db: EntityManager = account.db,
  ): Promise<ReadonlyMap<string, Row<LibraryMedia>>> {
    if (mediaKeys.length === 0) return new Map();
    const found = await this.resources.of(account, LIBRARY_MEDIA, db).whereIn('mediaKey', mediaKeys).getMany();
    return new Map(found.map((media) => [media.mediaKey, media]));
  }

  /** Files of the first frames of these videos by key, independent of library posters. */
  async firstFrames(db: EntityManager, mediaKeys: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    if (mediaKeys.length === 0) return new Map();
    const found = await rows(db, Media).whereIn('id', mediaKeys.map(mediaIdOf)).getMany();
    const files = new Map(found.map(({ id, posterFile }) => [id, posterFile]));
    return new Map(mediaKeys.map((key) => [key, files.get(mediaIdOf(key)) ?? null]));
  }
}
