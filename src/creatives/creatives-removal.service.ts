import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rewriteTextsInChanges } from '../accounts/change-log/rewrite-changes.js';
import { UserRemoval } from '../auth/user-removal/user-removal.service.js';
import { Clock } from '../common/time/clock.js';
import { nextAfterStored } from '../common/db/query/computed.js';
import { deleteInBatches } from '../common/db/query/delete-in-batches.js';
import { rewriteRow } from '../common/db/query/rewrite-row.js';
import { rows, type Row } from '../common/db/query/rows.js';
import { withoutPerson, type RemovedPerson } from '../common/entity/removed-person.js';
import { inPages } from '../common/list/in-pages.js';
import { inBatches } from '../common/values/grouped.js';
import { LibraryMedia } from './entities/library-media.entity.js';
import { mediaTermsOf } from './media-library/library-media.rules.js';
import { Media, MediaSubtitles } from './entities/media.entity.js';
import { PreviewNotification } from './entities/preview-notification.entity.js';
import { PostsRemoval } from './posts/posts-removal.service.js';

const BATCH = 500;
const TEXTS = ['name', 'file_name', 'title', 'description'];

/**
 * Removes posts, notifications and unused uploads of a deleted user, and the user's name from what they said of media
 * that libraries keep.
 */
@Injectable()
export class CreativesRemoval implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly removal: UserRemoval,
    private readonly posts: PostsRemoval,
  ) {}

  onModuleInit(): void {
    this.removal.register({ domain: 'creatives', remove: (user, signal) => this.remove(user, signal) });
  }

  private async remove(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    await this.posts.remove(user, signal);
    const notifications = rows(this.db.manager, PreviewNotification).withDeleted().where('userId', user.id);
    await deleteInBatches(notifications, { batch: BATCH, signal });
    await this.removeMedia(user, signal);
  }

  /** Expires unused uploads, which the next expired-media job removes. Media in libraries belong to the accounts. */
  private async removeMedia(user: RemovedPerson, signal: AbortSignal): Promise<void> {
    const { manager } = this.db;
    const uploaded = () => rows(manager, Media).where('ownerId', user.id);
    for await (const batch of inBatches(inPages(this.db, uploaded, 'id'), BATCH)) {
      signal.throwIfAborted();
      const ids = batch.map(({ id }) => id);
      await uploaded()
        .whereIn('id', ids)
        .whereDistinctFrom('expiresAt', null)
        .update({ expiresAt: this.clock.now().toISOString() });
      for (const { id, altText } of batch) await this.renameUpload(id, altText, user);
      const inLibraries = () => rows(manager, LibraryMedia).ofAllAccounts().withDeleted().whereIn('mediaId', ids);
      for await (const media of inPages(this.db, inLibraries, 'id')) await this.renameMedia(media, user, signal);
    }
  }

  /** What the user said of an upload that a library keeps. */
  private async renameUpload(id: string, altText: string | null, user: RemovedPerson): Promise<void> {
    const { manager } = this.db;
    if (altText && withoutPerson(altText, user) !== altText)
      await rewriteRow(
        manager,
        (tx) => rows(tx, Media).where('id', id),
        ({ altText: text }) => ({ altText: text && withoutPerson(text, user) }),
      );
    for (const { languageCode, displayName } of await rows(manager, MediaSubtitles).where('mediaId', id).getMany())
      if (withoutPerson(displayName, user) !== displayName)
        await rewriteRow(
          manager,
          (tx) => rows(tx, MediaSubtitles).where('mediaId', id).where('languageCode', languageCode),
          (subtitles) => ({ displayName: withoutPerson(subtitles.displayName, user) }),
        );
  }

  private async renameMedia(media: Row<LibraryMedia>, user: RemovedPerson, signal: AbortSignal): Promise<void> {
    const { accountId, id } = media;
    const without = (text: string | null) => text && withoutPerson(text, user);
    await rewriteTextsInChanges(
      this.db.manager,
      { accountId, entity: 'LIBRARY_MEDIA', ids: [id] },
      { fields: TEXTS, change: (text) => withoutPerson(text, user) },
      signal,
    );
    const renamed = ({ name, fileName, title, description }: Row<LibraryMedia>) => {
      const texts = {
        name: without(name),
        fileName: without(fileName),
        title: without(title),
        description: without(description),
      };
      if (isDeepStrictEqual(texts, { name, fileName, title, description })) return undefined;
      const updatedAt = nextAfterStored(this.clock.now().toISOString());
      return { ...texts, terms: mediaTermsOf(accountId, texts), updatedAt };
    };
    // most media need no lock
    if (renamed(media))
      await rewriteRow(
        this.db.manager,
        (tx) => rows(tx, LibraryMedia).withDeleted().where('accountId', accountId).where('id', id),
        renamed,
      );
  }
}
