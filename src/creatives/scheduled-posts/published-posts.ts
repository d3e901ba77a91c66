import { Injectable } from '@nestjs/common';
import { defineJob } from '../../common/jobs/job.js';

/**
 * Announces the publication of a scheduled post, enqueued by the statement that publishes it. Dependent features, such
 * as promotion, work on this queue. Unprocessed jobs leave the queue after fourteen days.
 */
export const SCHEDULED_POST_PUBLISHED = defineJob<{ scheduledPostId: string; postId: string }>(
  'scheduled-post-published',
  // The last retry is a week after the first attempt: what waits can no longer be cancelled, and nothing else promotes it.
  { retries: 16 },
);

/** Work that follows the publication of a scheduled post. */
export type FollowUp = (scheduledPostId: string, postId: string) => Promise<void>;

/**
 * What depends on published scheduled posts, for an advancing test clock: it continues when that is done. Elsewhere the
 * job SCHEDULED_POST_PUBLISHED does it.
 */
@Injectable()
export class PublishedPosts {
  private readonly followUps: FollowUp[] = [];

  /** Adds work; once, in `onModuleInit`. */
  register(followUp: FollowUp): void {
    this.followUps.push(followUp);
  }

  /** Does the work for a post, and waits for it. */
  async tell(scheduledPostId: string, postId: string): Promise<void> {
    for (const each of this.followUps) await each(scheduledPostId, postId);
  }
}
