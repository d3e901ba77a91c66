import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { rows } from '../common/db/query/rows.js';
import { exportRows, type ExportSection } from '../auth/user-export.js';
import { inPages } from '../common/list/in-pages.js';
import { DraftPost } from './entities/draft-post.entity.js';
import { Media } from './entities/media.entity.js';
import { PreviewNotification } from './entities/preview-notification.entity.js';
import { Post } from './entities/post.entity.js';
import { ScheduledPost } from './entities/scheduled-post.entity.js';

const TIMES = ['createdAt', 'updatedAt', 'deletedAt'] as const;
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
      [
        'media',
        exportRows(
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
          ['id', 'ownerId', 'category', 'state', 'size', 'contentType', 'expiresAt', ...TIMES],
        ),
      ],
    ];
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
