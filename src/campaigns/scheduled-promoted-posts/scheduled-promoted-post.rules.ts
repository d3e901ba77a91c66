import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid, notAllowed } from '../../common/errors/catalogue.js';
import type { ScheduledPost } from '../../creatives/entities/scheduled-post.entity.js';
import type { ScheduledPromotedPost } from './scheduled-promoted-post.entity.js';

/** Only a scheduled post that is not live yet is accepted. */
export const waitingProblem = ({
  id,
  scheduledStatus,
  postId,
}: Pick<Row<ScheduledPost>, 'id' | 'scheduledStatus' | 'postId'>): ApiError | undefined =>
  scheduledStatus === 'SCHEDULED'
    ? undefined
    : invalid('scheduled_post_id', `Scheduled Post ${id} is ${scheduledStatus} and does not wait to go live`, {
        value: id,
        ...(postId !== null && { details: `it is live as Post ${postId}; promote that with POST promoted_posts` }),
      });

type Waiting = Pick<Row<ScheduledPromotedPost>, 'id' | 'postId' | 'failure'>;
type Waited = Pick<Row<ScheduledPost>, 'scheduledStatus' | 'scheduledAt' | 'deletedAt'>;

/** Deletion is possible until the minute in which the post goes live, and afterwards only if nothing was promoted. */
export function undeletableProblem(
  { id, postId, failure }: Waiting,
  scheduled: Waited | undefined,
  now: Date,
): ApiError | undefined {
  const isOver =
    failure !== null || !scheduled || scheduled.deletedAt !== null || scheduled.scheduledStatus === 'FAILED';
  if (postId === null && (isOver || new Date(scheduled.scheduledAt) > now)) return undefined;
  const why = postId === null ? 'is going live' : 'is live';
  return notAllowed(`The post of Scheduled Promoted Post ${id} ${why}, so it cannot be deleted`, {
    parameter: 'scheduled_promoted_post_id',
    value: id,
    details: 'a promoted post promotes the live post; delete it with DELETE promoted_posts',
  });
}
