import { Injectable } from '@nestjs/common';
import { mayComposeFor, type ActingAccount } from '../../accounts/access/acting-account.js';
import { defineWrite } from '../../accounts/resources/define-write.js';
import { unknownReference } from '../../accounts/resources/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { presentProblems, type ApiError } from '../../common/errors/api-error.js';
import { notFound } from '../../common/errors/catalogue.js';
import { Made } from '../../common/http/answers/made.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { ScheduledPost } from '../../creatives/entities/scheduled-post.entity.js';
import { PromotableScheduledPosts } from '../../creatives/scheduled-posts/promotable-scheduled-posts.service.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { LINE_ITEMS } from '../line-items/line-item.resource.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { repostNotAllowed, suitabilityProblem, takesPosts } from '../promoted-posts/promoted-post.rules.js';
import type { Shows } from '../promoted-posts/suitability.rules.js';
import type { ScheduledPromotedPost } from './scheduled-promoted-post.entity.js';
import { SCHEDULED_PROMOTED_POSTS } from './scheduled-promoted-post.resource.js';
import { undeletableProblem, waitingProblem } from './scheduled-promoted-post.rules.js';
import type { CreateScheduledPromotedPost } from './scheduled-promoted-posts.dto.js';

type WaitingRow = Row<ScheduledPromotedPost>;

/** The data that the rules of a new scheduled promoted post need. */
interface Context {
  account: ActingAccount;
  item?: Row<LineItem>;
  post?: { scheduled: Row<ScheduledPost>; content: Shows; reposter?: string };
  /** The existing scheduled promoted post, if the line item already waits for the post. */
  attached?: WaitingRow;
}

/** Creates and deletes scheduled promoted posts. */
@Injectable()
export class ScheduledPromotedPostWrites {
  constructor(
    private readonly items: ParentLineItems,
    private readonly scheduled: PromotableScheduledPosts,
  ) {}

  /** Returns the existing scheduled promoted post unchanged if the line item already waits for the post. */
  readonly create = defineWrite<ScheduledPromotedPost, CreateScheduledPromotedPost, Context, Made<WaitingRow>>(
    SCHEDULED_PROMOTED_POSTS,
    {
      context: async ({ account, db }, [request]) => {
        const lineItemId = request.value('line_item_id');
        const postId = request.value('scheduled_post_id');
        const [item, post, attached] = await Promise.all([
          this.items.find(account, lineItemId, db),
          postId === undefined ? undefined : this.scheduled.find(account, postId, db),
          this.items.findBelonging(account, SCHEDULED_PROMOTED_POSTS, { lineItemId, scheduledPostId: postId }, db),
        ]);
        return { account, item, post, attached };
      },
      problems: problemsOfNew,
      apply: (unitOfWork, params, { account, post, attached }) => {
        if (attached) return new Made(attached, false);
        unitOfWork.require(this.scheduled.waits(post!.scheduled));
        const { line_item_id: lineItemId, scheduled_post_id: scheduledPostId } = params;
        const created = { accountId: account.id, lineItemId, scheduledPostId, callerId: account.userId };
        return new Made(unitOfWork.create({ ...created, postId: null, failure: null }), true);
      },
    },
  );

  /** Possible until the minute in which the scheduled post goes live. */
  readonly delete = defineWrite<
    ScheduledPromotedPost,
    { scheduled_promoted_post_id: string },
    { scheduled?: Row<ScheduledPost>; now: Date }
  >(SCHEDULED_PROMOTED_POSTS, {
    target: 'scheduled_promoted_post_id',
    narrow: (all, account) => this.items.ofShown(account, all),
    locking: () => ({ lock: 'pessimistic_write' }),
    context: async ({ unitOfWork, db }) => {
      const ids = [...unitOfWork.stored.values()].map(({ scheduledPostId }) => scheduledPostId);
      return { scheduled: [...(await this.scheduled.byId(ids, db)).values()].at(0), now: unitOfWork.now };
    },
    problems: (_, { scheduled, now }, waiting) => presentProblems(undeletableProblem(waiting, scheduled, now)),
    apply: (unitOfWork, _, __, { id }) => unitOfWork.delete(id),
  });
}

/** Problems of a new resource, as far as its parameters are readable. */
function problemsOfNew(
  request: Parsed<CreateScheduledPromotedPost>,
  { account, item, post, attached }: Context,
): ApiError[] {
  if (item && attached) return [];
  const lineItemId = request.value('line_item_id');
  const asked = request.value('scheduled_post_id');
  const unfit = item && takesPosts(item);
  const closed = post && waitingProblem(post.scheduled);
  const mayRepost = post?.reposter === undefined || mayComposeFor(account, post.reposter);
  const unsuitable =
    item && post && asked !== undefined && !unfit && !closed
      ? suitabilityProblem(item, 'scheduled_post_id', asked, post.content)
      : undefined;
  return [
    ...unknownReference(LINE_ITEMS, account, lineItemId, item),
    ...presentProblems(unfit),
    ...(asked !== undefined && !post ? [notFound('Scheduled Post', 'scheduled_post_id', asked, account.id)] : []),
    ...presentProblems(closed),
    ...(mayRepost || asked === undefined
      ? []
      : [repostNotAllowed('scheduled_post_id', 'Scheduled Post', asked, post.reposter!)]),
    ...presentProblems(unsuitable),
  ];
}
