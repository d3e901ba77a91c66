import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import type { Made } from '../../common/http/answers/made.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { NEWEST_FIRST, page } from '../../common/list/page.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded } from '../../common/storage/storage-usage.js';
import { mediaIdOf } from '../media-files/media-key.js';
import { Media } from '../entities/media.entity.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import { LIBRARY_MEDIA } from './library-media.resource.js';
import { termsAsked } from './library-media.rules.js';
import { LibraryMediaWrites } from './library-media.writes.js';
import type { AddLibraryMedia, ListMediaLibrary, UpdateLibraryMedia } from './media-library.dto.js';

@Injectable()
export class MediaLibraryService {
  constructor(
    private readonly resources: Resources,
    private readonly db: DataSource,
    private readonly writes: LibraryMediaWrites,
    private readonly quotas: StorageQuotas,
  ) {}

  /** `q` matches words and does not affect the order. */
  list(account: ActingAccount, query: ListMediaLibrary) {
    const media = this.of(account);
    if (query.media_type) media.where('mediaType', query.media_type);
    // a query without words matches nothing
    if (query.q !== undefined) media.arrayContains('terms', termsAsked(account.id, query.q) ?? [`${account.id} `]);
    return page(media, query, NEWEST_FIRST);
  }

  async get(account: ActingAccount, mediaKey: string, { with_deleted = false }: OneQuery = {}) {
    const media = this.of(account);
    if (with_deleted) media.withDeleted();
    const found = await media.where('mediaKey', mediaKey).getOne();
    if (!found) throw LIBRARY_MEDIA.notFoundError(account)(mediaKey);
    return found;
  }

  /** Adds an uploaded media item; updates an existing one and restores a deleted one. */
  async add(account: ActingAccount, request: Parsed<AddLibraryMedia>): Promise<Made<Row<LibraryMedia>>> {
    try {
      return await this.resources.perform(account, this.writes.add, request);
    } catch (error) {
      throw isQuotaExceeded(error) ? await this.quotaRefusal(account, request.params.media_key) : error;
    }
  }

  update(account: ActingAccount, mediaKey: string, request: Parsed<UpdateLibraryMedia>): Promise<Row<LibraryMedia>> {
    return this.resources.perform(account, this.writes.update, request.with({ media_key: mediaKey }));
  }

  delete(account: ActingAccount, mediaKey: string): Promise<Row<LibraryMedia>> {
    return this.resources.perform(account, this.writes.delete, Parsed.whole({ media_key: mediaKey }));
  }

  /** Library media of an account by key, for cards and posts, in one read. */
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

  private async quotaRefusal(account: ActingAccount, mediaKey: string): Promise<ApiError> {
    const upload = await rows(this.db.manager, Media).where('id', mediaIdOf(mediaKey)).getOne();
    return this.quotas.refusal('ACCOUNT_MEDIA_BYTES', account.id, upload?.size);
  }

  private of(account: ActingAccount) {
    return this.resources.of(account, LIBRARY_MEDIA);
  }
}
