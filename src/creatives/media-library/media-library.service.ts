import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Made } from '../../common/http/answers/made.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { NEWEST_FIRST, page } from '../../common/list/page.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import { LIBRARY_MEDIA } from './library-media.resource.js';
import { termsAsked } from './library-media.rules.js';
import { LibraryMediaWrites } from './library-media.writes.js';
import type { AddLibraryMedia, ListMediaLibrary, UpdateLibraryMedia } from './media-library.dto.js';

/** Lists, adds, updates and removes the media of an account's library. */
@Injectable()
export class MediaLibraryService {
  constructor(
    private readonly resources: Resources,
    private readonly writes: LibraryMediaWrites,
  ) {}

  /** `q` matches words and does not affect the order. */
  list(account: ActingAccount, query: ListMediaLibrary) {
    const media = this.resources.of(account, LIBRARY_MEDIA);
    if (query.media_type) media.where('mediaType', query.media_type);
    // a query without words matches nothing
    if (query.q !== undefined) media.arrayContains('terms', termsAsked(account.id, query.q) ?? [`${account.id} `]);
    return page(media, query, NEWEST_FIRST);
  }

  async get(account: ActingAccount, mediaKey: string, { with_deleted = false }: OneQuery = {}) {
    const media = this.resources.of(account, LIBRARY_MEDIA);
    if (with_deleted) media.withDeleted();
    const found = await media.where('mediaKey', mediaKey).asAnswer().getOne();
    if (!found) throw LIBRARY_MEDIA.notFoundError(account)(mediaKey);
    return found;
  }

  /** Adds an uploaded media item; updates an existing one and restores a deleted one. */
  add(account: ActingAccount, request: Parsed<AddLibraryMedia>): Promise<Made<Row<LibraryMedia>>> {
    return this.resources.perform(account, this.writes.add, request).catch(async (error: unknown) => {
      throw await this.writes.refusalOf(error, account, request);
    });
  }

  update(account: ActingAccount, mediaKey: string, request: Parsed<UpdateLibraryMedia>): Promise<Row<LibraryMedia>> {
    return this.resources.perform(account, this.writes.update, request.with({ media_key: mediaKey }));
  }

  delete(account: ActingAccount, mediaKey: string): Promise<Row<LibraryMedia>> {
    return this.resources.perform(account, this.writes.delete, Parsed.whole({ media_key: mediaKey }));
  }
}
