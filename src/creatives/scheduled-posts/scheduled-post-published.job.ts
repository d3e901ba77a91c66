import { defineJob } from '../../common/jobs/job.js';

/**
 * That a scheduled post went live, enqueued by the statement that published it: for whoever has made something depend on
 * it, such as its promotion. One that nobody works on leaves the queue after fourteen days.
 */
export const SCHEDULED_POST_PUBLISHED = defineJob<{ scheduledPostId: string; postId: string }>(
  'scheduled-post-published',
  { retries: 10 },
);
