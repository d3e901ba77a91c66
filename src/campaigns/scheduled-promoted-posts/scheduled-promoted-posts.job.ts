import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { TimedAuthor } from '../../accounts/change-log/change-log.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { AccountTimes } from '../../accounts/times/account-times.service.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { ApiError, ApiErrors } from '../../common/errors/api-error.js';
import { isAccountNotFound } from '../../common/errors/catalogue.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { PublishedPosts, SCHEDULED_POST_PUBLISHED } from '../../creatives/scheduled-posts/published-posts.js';
import { PostPromotion } from '../promoted-posts/post-promotion.service.js';
import { PROMOTED_POSTS } from '../promoted-posts/promoted-post.entity.js';
import { SCHEDULED_PROMOTED_POSTS, ScheduledPromotedPost } from './scheduled-promoted-post.entity.js';

type WaitingRow = Row<ScheduledPromotedPost>;

/** Number of rows per read. */
const STEP = 100;

/**
 * Promotes posts that line items wait for as soon as they are live. Each promotion has its own transaction and locks
 * its row, so it happens only once, regardless of how many processes run the job and how often.
 */
@Injectable()
export class ScheduledPromotedPostsJob implements OnModuleInit {
  constructor(
    private readonly db: DataSource,
    private readonly jobs: Jobs,
    private readonly resources: Resources,
    private readonly promotion: PostPromotion,
    private readonly times: AccountTimes,
    private readonly published: PublishedPosts,
  ) {}

  onModuleInit(): void {
    this.jobs.work(SCHEDULED_POST_PUBLISHED, ({ scheduledPostId, postId }, { signal }) =>
      this.promoteAll(scheduledPostId, postId, signal),
    );
    this.published.register((scheduledPostId, postId) => this.promoteAll(scheduledPostId, postId));
  }

  /**
   * Processes all rows of any account that wait for a scheduled post. Processed rows no longer wait. One that fails keeps
   * none of the others waiting; the job fails when all were tried, and the next attempt finds those that still wait.
   */
  async promoteAll(scheduledPostId: string, postId: string, signal?: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    for (let last = ''; ;) {
      const waiting = await rows(this.db.manager, ScheduledPromotedPost)
        .ofAllAccounts()
        .where('scheduledPostId', scheduledPostId)
        .where('postId', null)
        .where('failure', null)
        .whereMoreThan('id', last)
        .orderBy('id')
        .limit(STEP)
        .getMany();
      for (const each of waiting) {
        if (signal?.aborted) throw new Error('stopped before all posts were promoted');
        await this.settle(each, postId).catch((error: unknown) => failures.push(error));
      }
      if (waiting.length < STEP) break;
      last = waiting.at(-1)!.id;
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Promotes one post or records why that failed. A database error fails the job, which is retried. */
  private async settle(waiting: WaitingRow, postId: string): Promise<void> {
    const times = await this.times.of(waiting.accountId);
    const by = { id: waiting.accountId, userId: waiting.callerId, db: this.db.manager, ...times };
    try {
      await this.promote(waiting, by, postId);
    } catch (error) {
      const refusal = error instanceof ApiErrors ? error.errors[0] : error;
      if (!(refusal instanceof ApiError)) throw error;
      await this.fail(waiting, by, refusal);
    }
  }

  private async promote({ id, lineItemId }: WaitingRow, by: TimedAuthor, postId: string): Promise<void> {
    await this.resources.changeLocked(by, SCHEDULED_PROMOTED_POSTS, [], async (unit) => {
      const [waiting] = await unit.lock([id]);
      if (!isWaiting(waiting)) return;
      const params = { line_item_id: lineItemId, post_ids: [postId] };
      const [promoted] = await this.promotion.promoteNamed(unit.include(PROMOTED_POSTS), params);
      unit.update(id, { postId: promoted.postId });
    });
  }

  /** If the account is deleted, only the failure itself is recorded. */
  private async fail({ id, accountId }: WaitingRow, by: TimedAuthor, refusal: ApiError): Promise<void> {
    const failure = `${refusal.code}: ${refusal.message}`;
    try {
      await this.resources.changeLocked(by, SCHEDULED_PROMOTED_POSTS, [], async (unit) => {
        const [waiting] = await unit.lock([id]);
        if (isWaiting(waiting)) unit.update(id, { failure });
      });
    } catch (error) {
      if (!isAccountNotFound(error)) throw error;
      const time = by.now().toISOString();
      await rows(this.db.manager, ScheduledPromotedPost)
        .where('accountId', accountId)
        .where('id', id)
        .where('postId', null)
        .update({ failure, updatedAt: time });
    }
  }
}

const isWaiting = (row: WaitingRow | undefined): boolean => row?.postId === null && row.failure === null;
