import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows } from '../common/db/query/rows.js';
import { exportColumns, exportRows, type ExportSection } from '../auth/user-export.js';
import { inBatches } from '../common/values/grouped.js';
import { inPages } from '../common/list/in-pages.js';
import { DraftPost } from './entities/draft-post.entity.js';
import { Media, MediaSubtitles } from './entities/media.entity.js';
import { PreviewNotification } from './entities/preview-notification.entity.js';
import { Post } from './entities/post.entity.js';
import { ScheduledPost } from './entities/scheduled-post.entity.js';

const TIMES = ['createdAt', 'updatedAt', 'deletedAt'] as const;
/** Videos whose subtitles are read at a time. */
const VIDEOS = 100;
const COMPOSED = ['text', 'cardId', 'mediaKeys', 'nullcast'] as const;

/** Exports a user's posts and media, and drafts and scheduled posts on their behalf or scheduled by them. */
@Injectable()
export class CreativesExport {
  constructor(private readonly db: DataSource) {}

  sections(userId: string): ExportSection[] {
    const { manager } = this.db;
    return [
      ['posts', this.posts(userId)],
      [
        'draft_posts',
        exportRows(
          inPages(this.db, () => rows(manager, DraftPost).ofAllAccounts().withDeleted().where('userId', userId), 'id'),
          ['id', 'accountId', 'userId', 'name', ...COMPOSED, ...TIMES],
        ),
      ],
      [
        'scheduled_posts',
        exportRows(
          inPages(
            this.db,
            () =>
              rows(manager, ScheduledPost)
                .ofAllAccounts()
                .withDeleted()
                .whereAny(
                  (posts) => posts.where('userId', userId),
                  (posts) => posts.where('callerId', userId),
                ),
            'id',
          ),
          [
            ...(['id', 'accountId', 'userId', 'callerId', 'name', 'scheduledAt', 'scheduledStatus'] as const),
            ...(['completedAt', 'postId', 'failure'] as const),
            ...COMPOSED,
            ...TIMES,
          ],
        ),
      ],
      [
        'preview_notifications',
        exportRows(
          inPages(this.db, () => rows(manager, PreviewNotification).withDeleted().where('userId', userId), 'id'),
          ['id', 'accountId', 'draftPostId', 'seen', ...TIMES],
        ),
      ],
      ['media', this.media(userId)],
      ['media_subtitles', this.subtitles(userId)],
    ];
  }

  /** The user's uploads, and those of others that the user may use. */
  private media(userId: string): AsyncGenerator<object> {
    const { manager } = this.db;
    return exportRows(
      inPages(
        this.db,
        () =>
          rows(manager, Media)
            .withDeleted()
            .whereAny(
              (media) => media.where('ownerId', userId),
              (media) => media.arrayOverlaps('additionalOwners', [userId]),
            ),
        'id',
      ),
      [
        ...(['id', 'ownerId', 'category', 'state', 'size', 'contentType', 'altText', 'allowsDownload'] as const),
        ...(['expiresAt', ...TIMES] as const),
      ],
    );
  }

  /** The subtitles of the user's videos. */
  private async *subtitles(userId: string): AsyncGenerator<object> {
    const { manager } = this.db;
    const videos = inPages(this.db, () => rows(manager, Media).where('ownerId', userId), 'id');
    for await (const batch of inBatches(videos, VIDEOS)) {
      const ids = batch.map(({ id }) => id);
      for (const each of await rows(manager, MediaSubtitles).whereIn('mediaId', ids).orderBy('mediaId').getMany())
        yield exportColumns(each, ['mediaId', 'languageCode', 'fileId', 'displayName']);
    }
  }

  /** Deleted posts follow the others, because each kind has its own index. */
  private async *posts(userId: string): AsyncGenerator<object> {
    const { manager } = this.db;
    const columns = [
      ...(['id', 'accountId', 'contributorId', 'lang', 'entities', 'conversationSettings'] as const),
      ...(['inReplyToPostId', 'inReplyToUserId', 'repostOfId', 'conversational'] as const),
      ...(['videoTitle', 'videoDescription', 'videoCta', 'videoCtaValue'] as const),
      ...COMPOSED,
      ...TIMES,
    ];
    yield* exportRows(
      inPages(this.db, () => rows(manager, Post).where('authorId', userId), 'id'),
      columns,
    );
    yield* exportRows(
      inPages(
        this.db,
        () => rows(manager, Post).withDeleted().where('authorId', userId).whereDistinctFrom('deletedAt', null),
        'id',
      ),
      columns,
    );
  }
}
