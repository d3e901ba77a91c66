import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PROMOTABLE_USERS } from '../../accounts/promotable-users/promotable-user.resource.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Clock } from '../../common/clock.js';
import { exists } from '../../common/db/query/preconditions.js';
import { retrying, ConflictRetry } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { sqlStateOf } from '../../common/db/query/sqlstate.js';
import type { Precondition } from '../../common/db/query/write.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import type { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { NEWEST_FIRST, page } from '../../common/list/page.js';
import { StorageQuotas } from '../../common/storage/storage-quotas.js';
import { isQuotaExceeded, release, reserve } from '../../common/storage/storage-usage.js';
import { AccountMediaService } from '../account-media/account-media.service.js';
import { invalidMedia, mediaNotFound, unknownMedia } from '../creatives.errors.js';
import { mediaIdOf, mediaKeyOf, posterKeyOf } from '../media-files/media-key.js';
import { isUsable, keepForGood } from '../media-upload/media.statements.js';
import { Media } from '../entities/media.entity.js';
import { LibraryMedia, ONE_OF_EACH } from '../entities/library-media.entity.js';
import { LIBRARY_MEDIA } from './library-media.resource.js';
import { termsAsked, termsOf, videoOnlyFaults, type Described } from './library-media.rules.js';
import type { AddLibraryMedia, ListMediaLibrary, UpdateLibraryMedia } from './media-library.dto.js';

/** What a poster changes: the columns, and what has to stay so. */
interface Poster {
  columns: { posterMediaKey: string | null; posterFile: string | null };
  required: Precondition[];
}

@Injectable()
export class MediaLibraryService {
  constructor(
    private readonly resources: Resources,
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly accountMedia: AccountMediaService,
    private readonly quotas: StorageQuotas,
  ) {}

  /** `q` finds words, and so says nothing about an order. */
  list(account: ActingAccount, query: ListMediaLibrary) {
    const media = this.of(account);
    if (query.media_type) media.where('mediaType', query.media_type);
    // without a word in it nothing is found
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

  /** Adds an uploaded medium; one that is there is answered, and one that was deleted comes back. */
  add(account: ActingAccount, params: AddLibraryMedia): Promise<{ media: Row<LibraryMedia>; isNew: boolean }> {
    return retrying(async () => {
      const upload = await this.uploaded(account, params.media_key);
      const known = await this.of(account).withDeleted().where('mediaKey', params.media_key).getOne();
      const before = known ?? newMedia(account, upload);
      refuseAny(await this.problemsWith(account, before, params));
      const poster = await this.posterOf(account, before, params.poster_media_key);
      const after = { ...textsAfter(before, params), ...poster.columns };
      return known
        ? { media: await this.bringBack(account, known, after, poster), isNew: false }
        : { media: await this.create(account, { ...before, ...after }, poster), isNew: true };
    });
  }

  /** What is wrong with those parameters of a new one that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<AddLibraryMedia>): Promise<ApiError[]> {
    const named = parsed.known('media_key');
    if (!named) return [];
    const upload = await this.uploaded(account, named.media_key);
    return this.problemsWith(account, newMedia(account, upload), readable(parsed));
  }

  update(account: ActingAccount, mediaKey: string, params: UpdateLibraryMedia) {
    return retrying(async () => {
      const { id } = await this.get(account, mediaKey);
      return this.resources.edit(account, LIBRARY_MEDIA, [id], async (unitOfWork, db) => {
        const before = unitOfWork.stored.get(id);
        if (!before) throw LIBRARY_MEDIA.notFoundError(account)(mediaKey);
        refuseAny(await this.problemsWith(account, before, params, db));
        const poster = await this.posterOf(account, before, params.poster_media_key, db);
        unitOfWork.require(...poster.required);
        return unitOfWork.update(id, { ...textsAfter(before, params), ...poster.columns });
      });
    });
  }

  /** The same for an update, that there is no such medium included. */
  async problemsOfPatch(account: ActingAccount, mediaKey: string, parsed: Parsed<UpdateLibraryMedia>) {
    return this.problemsWith(account, await this.get(account, mediaKey), readable(parsed));
  }

  async delete(account: ActingAccount, mediaKey: string) {
    const { id } = await this.get(account, mediaKey);
    return this.resources.edit(
      account,
      LIBRARY_MEDIA,
      [id],
      (unitOfWork) => {
        const media = unitOfWork.stored.get(id);
        if (!media) throw LIBRARY_MEDIA.notFoundError(account)(mediaKey);
        unitOfWork.addWrite(release(this.bytesOf(media)));
        return unitOfWork.delete(id);
      },
      { lock: 'pessimistic_write' },
    );
  }

  /** Those of these keys that are in the account's library, by key; asked by cards and posts, in one read. */
  async byKey(
    account: { id: string },
    mediaKeys: readonly string[],
    db = this.db.manager,
  ): Promise<ReadonlyMap<string, Row<LibraryMedia>>> {
    if (mediaKeys.length === 0) return new Map();
    const found = await this.resources.of(account, LIBRARY_MEDIA, db).whereIn('mediaKey', mediaKeys).getMany();
    return new Map(found.map((media) => [media.mediaKey, media]));
  }

  /** The files of the first frames of these videos, by key: whatever poster a library has for them. */
  async firstFrames(mediaKeys: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    if (mediaKeys.length === 0) return new Map();
    const found = await rows(this.db.manager, Media).whereIn('id', mediaKeys.map(mediaIdOf)).getMany();
    const files = new Map(found.map(({ id, posterFile }) => [id, posterFile]));
    return new Map(mediaKeys.map((key) => [key, files.get(mediaIdOf(key)) ?? null]));
  }

  private async create(account: ActingAccount, media: Row<LibraryMedia>, poster: Poster): Promise<Row<LibraryMedia>> {
    const now = this.clock.now();
    const beside = await this.accountMedia.joining(account, media, now);
    const { id: _, createdAt: __, updatedAt: ___, deletedAt: ____, ...fields } = media;
    try {
      return await this.resources.edit(account, LIBRARY_MEDIA, [], (unitOfWork) => {
        unitOfWork.require(this.stillThere(media), ...poster.required);
        unitOfWork.addWrite(keepForGood(media.mediaId), ...beside, reserve(this.bytesOf(media)));
        return unitOfWork.create(fields);
      });
    } catch (error) {
      // somebody else adds it at the same moment
      if (sqlStateOf(error).constraint === ONE_OF_EACH) throw new ConflictRetry();
      throw await this.explained(error, media);
    }
  }

  private async bringBack(
    account: ActingAccount,
    known: Row<LibraryMedia>,
    after: Partial<Row<LibraryMedia>>,
    poster: Poster,
  ): Promise<Row<LibraryMedia>> {
    const now = this.clock.now();
    const beside = known.deletedAt === null ? [] : await this.accountMedia.joining(account, known, now);
    try {
      return await this.resources.edit(
        account,
        LIBRARY_MEDIA,
        [known.id],
        (unitOfWork) => {
          unitOfWork.require(this.stillThere(known), ...poster.required);
          unitOfWork.addWrite(...beside);
          if (unitOfWork.stored.get(known.id)?.deletedAt) unitOfWork.addWrite(reserve(this.bytesOf(known)));
          return unitOfWork.restore(known.id, after);
        },
        { withDeleted: true },
      );
    } catch (error) {
      throw await this.explained(error, known);
    }
  }

  /** What a medium counts in the usage of its account. */
  private bytesOf({ accountId, size }: Row<LibraryMedia>) {
    return this.quotas.amount('ACCOUNT_MEDIA_BYTES', accountId, size);
  }

  private async explained(error: unknown, { accountId, size }: Row<LibraryMedia>): Promise<unknown> {
    return isQuotaExceeded(error) ? this.quotas.refusal('ACCOUNT_MEDIA_BYTES', accountId, size) : error;
  }

  private stillThere({ mediaId, mediaKey }: Row<LibraryMedia>): Precondition {
    return isUsable(mediaId, this.clock.now().toISOString(), () => mediaNotFound(mediaKey));
  }

  /**
   * What the caller or a promotable user of the account uploaded, or may use besides. All else, what has expired
   * included, is answered alike.
   */
  private async uploaded(account: ActingAccount, mediaKey: string): Promise<Row<Media>> {
    const media = await rows(this.db.manager, Media).where('id', mediaIdOf(mediaKey)).getOne();
    const isNamed = media?.category && mediaKeyOf(media.category, media.id) === mediaKey;
    const isOver = media?.expiresAt && new Date(media.expiresAt) <= this.clock.now();
    if (!isNamed || isOver || !(await this.isFor(account, media))) throw mediaNotFound(mediaKey);
    if (media.state === 'FAILED')
      throw invalidMedia('media_key', `Media ${mediaKey} cannot be shown: ${media.failure}`, mediaKey);
    if (media.state !== 'SUCCEEDED')
      throw invalidMedia(
        'media_key',
        `Media ${mediaKey} is not ready`,
        mediaKey,
        'its upload is not finished, or it is being looked at',
      );
    return media;
  }

  private async isFor(account: ActingAccount, { ownerId, additionalOwners }: Row<Media>): Promise<boolean> {
    const owners = [ownerId, ...additionalOwners];
    if (owners.includes(account.userId)) return true;
    return this.resources.of(account, PROMOTABLE_USERS).whereIn('userId', owners).getExists();
  }

  private async problemsWith(
    account: ActingAccount,
    before: Described,
    params: Partial<UpdateLibraryMedia>,
    db = this.db.manager,
  ): Promise<ApiError[]> {
    const faults = videoOnlyFaults(before, params);
    if (faults.some(({ detail }) => detail.parameter === 'poster_media_key')) return faults;
    const poster = await this.posterFault(account, before, params.poster_media_key, db);
    return poster ? [...faults, poster] : faults;
  }

  private async posterFault(
    account: ActingAccount,
    before: Described,
    key: string | null | undefined,
    db: EntityManager,
  ): Promise<ApiError | undefined> {
    if (!key || key === before.posterMediaKey || key === posterKeyOf(before.mediaId)) return undefined;
    const image = (await this.byKey(account, [key], db)).get(key);
    if (!image) return unknownMedia('poster_media_key', key, account.id);
    if (image.mediaType === 'IMAGE') return undefined;
    return invalidMedia('poster_media_key', `Expected an image for poster_media_key, got a ${image.mediaType}`, key);
  }

  /** The poster that a medium has with this parameter; its own first frame is named by a key of its own. */
  private async posterOf(
    account: ActingAccount,
    before: Row<LibraryMedia>,
    key: string | null | undefined,
    db = this.db.manager,
  ): Promise<Poster> {
    const { posterMediaKey, posterFile, mediaId } = before;
    if (before.mediaType === 'IMAGE' || key === undefined || key === posterMediaKey)
      return { columns: { posterMediaKey, posterFile }, required: [] };
    if (key === null || key === posterKeyOf(mediaId)) {
      const upload = await rows(db, Media).where('id', mediaId).getOne();
      return { columns: { posterMediaKey: null, posterFile: upload!.posterFile }, required: [] };
    }
    const image = (await this.byKey(account, [key], db)).get(key);
    if (!image) throw unknownMedia('poster_media_key', key, account.id);
    return {
      columns: { posterMediaKey: key, posterFile: image.file },
      required: [exists(LibraryMedia, image.id, () => unknownMedia('poster_media_key', key, account.id))],
    };
  }

  private of(account: ActingAccount) {
    return this.resources.of(account, LIBRARY_MEDIA);
  }
}

/** As it is before anything is said of it. */
function newMedia(account: ActingAccount, upload: Row<Media>): Row<LibraryMedia> {
  const { id, category, mediaType, file, contentType, size, width, height, duration, posterFile } = upload;
  return {
    id: '',
    createdAt: '',
    updatedAt: '',
    deletedAt: null,
    accountId: account.id,
    mediaId: id,
    mediaKey: mediaKeyOf(category!, id),
    mediaCategory: category!,
    mediaType: mediaType!,
    name: null,
    fileName: null,
    title: null,
    description: null,
    terms: [],
    posterMediaKey: null,
    posterFile,
    posted: false,
    file: file!,
    contentType: contentType!,
    size,
    width: width!,
    height: height!,
    duration,
  };
}

/** Its texts as parameters leave them, and the words that it is found by. */
function textsAfter(before: Row<LibraryMedia>, params: UpdateLibraryMedia) {
  const given = <V>(value: V | undefined, otherwise: V): V => (value === undefined ? otherwise : value);
  const texts = {
    name: given(params.name, before.name),
    title: given(params.title, before.title),
    fileName: given(params.file_name, before.fileName),
    description: given(params.description, before.description),
  };
  return { ...texts, terms: termsOf(before.accountId, texts) };
}

/** Those of the parameters that could be read. */
const readable = (parsed: Parsed<UpdateLibraryMedia>): Partial<UpdateLibraryMedia> => ({
  ...parsed.known('title'),
  ...parsed.known('description'),
  ...parsed.known('poster_media_key'),
});
