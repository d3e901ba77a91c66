import { defineJob } from '../../common/jobs/job.js';

/**
 * Announces the publication of a scheduled post, enqueued by the statement that publishes it. Dependent features, such
 * as promotion, work on this queue. Unprocessed jobs leave the queue after fourteen days.
 */
export const SCHEDULED_POST_PUBLISHED = defineJob<{ scheduledPostId: string; postId: string }>(
  'scheduled-post-published',
  { retries: 10 },
);
