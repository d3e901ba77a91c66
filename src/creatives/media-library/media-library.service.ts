import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PROMOTABLE_USERS } from '../../accounts/promotable-users/promotable-user.entity.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { NewColumns, UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { exists } from '../../common/db/query/preconditions.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Created } from '../../common/http/answers/results.js';
import { serviceTimeOf } from '../../common/time/frozen-time.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { NEWEST_FIRST, page } from '../../common/list/page.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded, releaseStorage, reserveStorage } from '../../common/storage/storage-usage.js';
import { accountMediaOf } from '../account-media/account-media.service.js';
import { invalidMedia, mediaNotFound, unknownMedia } from '../creatives.errors.js';
import { LIBRARY_MEDIA, LibraryMedia } from '../entities/library-media.entity.js';
import { Media } from '../entities/media.entity.js';
import { mediaIdOf, uploadKeyOf } from '../media-files/media-key.js';
import { isUsable, removeExpiry } from '../media-upload/media.statements.js';
import {
  newMedia,
  patchOfMedia,
  posterChange,
  problemsOfMedia,
  searchTermsOf,
  type LibraryMediaContext,
} from './library-media.rules.js';
import type { AddLibraryMedia, ListMediaLibrary, UpdateLibraryMedia } from './media-library.dto.js';

/** Lists, adds, updates and removes the media of an account's library. */
@Injectable()
export class MediaLibraryService {
  constructor(
    private readonly resources: Resources,
    private readonly quotas: StorageQuotas,
  ) {}

  /** `q` matches words and does not affect the order. */
  list(account: ActingAccount, query: ListMediaLibrary) {
    const media = this.resources.of(account, LIBRARY_MEDIA);
    if (query.media_type) media.where('mediaType', query.media_type);
    // a query without words matches nothing
    if (query.q !== undefined) media.arrayContains('terms', searchTermsOf(account.id, query.q) ?? [`${account.id} `]);
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
  async add(account: ActingAccount, request: Parsed<AddLibraryMedia>): Promise<Created<Row<LibraryMedia>>> {
    try {
      return await this.resources.changeLocked(account, LIBRARY_MEDIA, [request], (unit) => this.addOne(unit, request));
    } catch (error) {
      throw await this.refusalOf(error, account, request);
    }
  }

  update(account: ActingAccount, mediaKey: string, request: Parsed<UpdateLibraryMedia>): Promise<Row<LibraryMedia>> {
    return this.resources.changeLocked(account, LIBRARY_MEDIA, [request], async (unit) => {
      const media = await unit.lockOne(mediaKey, { column: 'mediaKey' });
      const context = await this.contextOf(unit, media, request);
      return unit.update(media.id, patchOfMedia(request.paramsUnless(problemsOfMedia(request, context)), context));
    });
  }

  delete(account: ActingAccount, mediaKey: string): Promise<Row<LibraryMedia>> {
    return this.resources.changeLocked(account, LIBRARY_MEDIA, [], async (unit) => {
      const media = await unit.lockOne(mediaKey, { mode: 'pessimistic_write', column: 'mediaKey' });
      unit.addWrite(releaseStorage(this.bytesOf(media)));
      return unit.delete(media.id);
    });
  }

  private async addOne(
    unit: UnitOfWork<LibraryMedia>,
    request: Parsed<AddLibraryMedia>,
  ): Promise<Created<Row<LibraryMedia>>> {
    const { account, db } = unit;
    const key = request.required('media_key');
    await unit.lock([key], { column: 'mediaKey', withDeleted: true });
    const upload = await this.uploaded(unit, key);
    const known = unit.get(key, 'mediaKey');
    const before = known ?? newMedia(account, upload);
    unit.require(isUsable(before.mediaId, serviceTimeOf(unit.now).toISOString(), () => mediaNotFound(key)));
    if (!known) unit.addWrite(removeExpiry(before.mediaId));
    if (known?.deletedAt !== null) {
      unit.addWrite(...(await accountMediaOf(account, before, unit.now, db)));
      unit.addWrite(reserveStorage(this.bytesOf(before)));
    }
    const context = await this.contextOf(unit, before, request);
    const patch = patchOfMedia(request.paramsUnless(problemsOfMedia(request, context)), context);
    const media = known ? unit.restore(known.id, patch) : unit.create({ ...before, ...patch });
    return new Created(media, !known);
  }

  /** The error to report for an error of `add`: that the library is full, or the same. */
  private async refusalOf(error: unknown, account: ActingAccount, request: Parsed<AddLibraryMedia>): Promise<unknown> {
    if (!isQuotaExceeded(error)) return error;
    const upload = await rows(account.db, Media).where('id', mediaIdOf(request.params.media_key)).getOne();
    return this.quotas.refusal('ACCOUNT_MEDIA_BYTES', account.id, upload?.size, account.db);
  }

  /** A referenced poster must still be in the library when the write is stored. */
  private async contextOf(
    unit: UnitOfWork<LibraryMedia>,
    before: NewColumns<LibraryMedia>,
    request: Parsed<UpdateLibraryMedia>,
  ): Promise<LibraryMediaContext> {
    const { account, db } = unit;
    const key = request.value('poster_media_key');
    const change = posterChange(before, key);
    if (change === 'FIRST_FRAME') {
      const upload = await rows(db, Media).where('id', before.mediaId).getOne();
      return { account, before, firstFrame: upload!.posterFile };
    }
    if (change === 'NONE') return { account, before };
    const poster = await this.resources.of(account, LIBRARY_MEDIA, db).where('mediaKey', key!).getOne();
    const gone = () => unknownMedia('poster_media_key', key!, account.id);
    if (poster) unit.require(exists(LibraryMedia, poster, gone));
    return { account, before, poster };
  }

  /** Bytes of a media item in the account's usage. */
  private bytesOf({ accountId, size }: Pick<Row<LibraryMedia>, 'accountId' | 'size'>) {
    return this.quotas.amount('ACCOUNT_MEDIA_BYTES', accountId, size);
  }

  /**
   * An upload of the caller or of a promotable user of the account, or one that they may use. All others, including
   * expired ones, get the same error.
   */
  private async uploaded({ account, now, db }: UnitOfWork<LibraryMedia>, mediaKey: string): Promise<Row<Media>> {
    const media = await rows(db, Media).where('id', mediaIdOf(mediaKey)).getOne();
    const isNamed = media && uploadKeyOf(media) === mediaKey;
    const isOver = media?.expiresAt && new Date(media.expiresAt) <= serviceTimeOf(now);
    if (!isNamed || isOver || !(await this.isFor(account, media, db))) throw mediaNotFound(mediaKey);
    if (media.state === 'FAILED')
      throw invalidMedia('media_key', `Media ${mediaKey} cannot be shown: ${media.failure}`, mediaKey);
    if (media.state !== 'SUCCEEDED')
      throw invalidMedia(
        'media_key',
        `Media ${mediaKey} is not ready`,
        mediaKey,
        'its upload is not finished, or the service is still processing it',
      );
    return media;
  }

  private async isFor(
    account: ActingAccount,
    { ownerId, additionalOwners }: Row<Media>,
    db: EntityManager,
  ): Promise<boolean> {
    const owners = [ownerId, ...additionalOwners];
    if (owners.includes(account.userId)) return true;
    return this.resources.of(account, PROMOTABLE_USERS, db).whereIn('userId', owners).getExists();
  }
}
