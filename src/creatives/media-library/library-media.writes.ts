import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PROMOTABLE_USERS } from '../../accounts/promotable-users/promotable-user.resource.js';
import { defineWrite, type WriteScope } from '../../accounts/resources/define-write.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { NewFields } from '../../accounts/resources/unit-of-work.js';
import { exists } from '../../common/db/query/preconditions.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { serviceTimeOf } from '../../common/frozen-time.js';
import { Made } from '../../common/http/answers/made.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded, release, reserve } from '../../common/storage/storage-usage.js';
import { accountMediaOf } from '../account-media/account-media.writes.js';
import { invalidMedia, mediaNotFound, unknownMedia } from '../creatives.errors.js';
import { mediaIdOf, mediaKeyOf } from '../media-files/media-key.js';
import { Media } from '../entities/media.entity.js';
import { isUsable, keepForGood } from '../media-upload/media.statements.js';
import { LibraryMedia } from '../entities/library-media.entity.js';
import { LIBRARY_MEDIA } from './library-media.resource.js';
import { newMedia, patchOf, posterChange, problemsOfMedia, type LibraryMediaContext } from './library-media.rules.js';
import type { AddLibraryMedia, UpdateLibraryMedia } from './media-library.dto.js';

type Scope = WriteScope<LibraryMedia>;
type Named = { media_key: string };

/** Adds, updates and removes media of the library. */
@Injectable()
export class LibraryMediaWrites {
  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
    private readonly quotas: StorageQuotas,
  ) {}

  /** Updates an existing media and restores a deleted one. */
  readonly add = defineWrite<LibraryMedia, AddLibraryMedia, LibraryMediaContext, Made<Row<LibraryMedia>>>(
    LIBRARY_MEDIA,
    {
      target: 'media_key',
      targetColumn: 'mediaKey',
      upserts: true,
      locking: () => ({ withDeleted: true }),
      context: async (scope, [request]) => {
        const { account, unitOfWork, db } = scope;
        const key = request.value('media_key')!;
        const upload = await this.uploaded(scope, key);
        const known = unitOfWork.get(key, 'mediaKey');
        const before = known ?? newMedia(account, upload);
        const { now } = unitOfWork;
        unitOfWork.require(isUsable(before.mediaId, now.toISOString(), () => mediaNotFound(key)));
        if (!known) unitOfWork.addWrite(keepForGood(before.mediaId));
        if (known?.deletedAt !== null) {
          unitOfWork.addWrite(...(await accountMediaOf(account, before, now, db)));
          unitOfWork.addWrite(reserve(this.bytesOf(before)));
        }
        return this.context(scope, before, request);
      },
      problems: problemsOfMedia,
      apply: (unitOfWork, params, context, known?: Row<LibraryMedia>) => {
        const patch = patchOf(params, context);
        const media = known ? unitOfWork.restore(known.id, patch) : unitOfWork.create({ ...context.before, ...patch });
        return new Made(media, !known);
      },
    },
  );

  readonly update = defineWrite<LibraryMedia, UpdateLibraryMedia & Named, LibraryMediaContext>(LIBRARY_MEDIA, {
    target: 'media_key',
    targetColumn: 'mediaKey',
    context: (scope, [request]) =>
      this.context(scope, scope.unitOfWork.find(request.value('media_key')!, 'mediaKey'), request),
    problems: problemsOfMedia,
    apply: (unitOfWork, params, context, { id }) => unitOfWork.update(id, patchOf(params, context)),
  });

  readonly delete = defineWrite<LibraryMedia, Named>(LIBRARY_MEDIA, {
    target: 'media_key',
    targetColumn: 'mediaKey',
    locking: () => ({ lock: 'pessimistic_write' }),
    apply: (unitOfWork, _, __, media) => {
      unitOfWork.addWrite(release(this.bytesOf(media)));
      return unitOfWork.delete(media.id);
    },
  });

  /** The error to report for an error of `add`: that the library is full, or the same. */
  async refusalOf(error: unknown, account: ActingAccount, request: Parsed<AddLibraryMedia>): Promise<unknown> {
    if (!isQuotaExceeded(error)) return error;
    const upload = await rows(this.db.manager, Media).where('id', mediaIdOf(request.params.media_key)).getOne();
    return this.quotas.refusal('ACCOUNT_MEDIA_BYTES', account.id, upload?.size);
  }

  /** A referenced poster must still be in the library when the write is stored. */
  private async context(
    { account, unitOfWork, db }: Scope,
    before: NewFields<LibraryMedia>,
    request: Parsed<UpdateLibraryMedia>,
  ): Promise<LibraryMediaContext> {
    const key = request.value('poster_media_key');
    const change = posterChange(before, key);
    if (change === 'FIRST_FRAME') {
      const upload = await rows(db, Media).where('id', before.mediaId).getOne();
      return { account, before, firstFrame: upload!.posterFile };
    }
    if (change === 'NONE') return { account, before };
    const poster = await this.resources.of(account, LIBRARY_MEDIA, db).where('mediaKey', key!).getOne();
    const gone = () => unknownMedia('poster_media_key', key!, account.id);
    if (poster) unitOfWork.require(exists(LibraryMedia, poster, gone));
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
  private async uploaded({ account, unitOfWork, db }: Scope, mediaKey: string): Promise<Row<Media>> {
    const media = await rows(db, Media).where('id', mediaIdOf(mediaKey)).getOne();
    const isNamed = media?.category && mediaKeyOf(media.category, media.id) === mediaKey;
    const isOver = media?.expiresAt && new Date(media.expiresAt) <= serviceTimeOf(unitOfWork.now);
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
