import { Injectable } from '@nestjs/common';
import { mayComposeFor, type ActingAccount } from '../../accounts/access/acting-account.js';
import { unknownReference } from '../../accounts/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import { definedErrors, throwErrors, type ApiError } from '../../common/errors/api-error.js';
import { invalid, notAllowed, notFound } from '../../common/errors/catalogue.js';
import type { Page } from '../../common/http/answers/page.js';
import { Created } from '../../common/http/answers/results.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import type { ScheduledPost } from '../../creatives/entities/scheduled-post.entity.js';
import { PromotableScheduledPosts } from '../../creatives/scheduled-posts/promotable-scheduled-posts.service.js';
import { LINE_ITEMS, type LineItem } from '../entities/line-item.entity.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { repostNotAllowed, suitabilityProblem, takesPosts } from '../promoted-posts/promoted-post.rules.js';
import type { Shows } from '../promoted-posts/suitability.rules.js';
import { SCHEDULED_PROMOTED_POSTS, type ScheduledPromotedPost } from './scheduled-promoted-post.entity.js';
import type { CreateScheduledPromotedPost, ListScheduledPromotedPosts } from './scheduled-promoted-posts.dto.js';

type WaitingRow = Row<ScheduledPromotedPost>;

/** The data that the rules of a new scheduled promoted post need. */
interface WaitingContext {
  account: ActingAccount;
  item?: Row<LineItem>;
  post?: { scheduled: Row<ScheduledPost>; content: Shows; reposter?: string };
  /** The existing scheduled promoted post, if the line item already waits for the post. */
  attached?: WaitingRow;
}

/** Lists, creates and deletes the scheduled posts that line items will promote. */
@Injectable()
export class ScheduledPromotedPostsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly scheduled: PromotableScheduledPosts,
  ) {}

  list(account: ActingAccount, query: ListScheduledPromotedPosts): Promise<Page<WaitingRow>> {
    const waiting = this.resources
      .of(account, SCHEDULED_PROMOTED_POSTS)
      .whereIn('id', query.scheduled_promoted_post_ids)
      .whereIn('lineItemId', query.line_item_ids);
    return page(this.items.ofShown(account, waiting, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<WaitingRow> {
    return this.items.getBelonging(account, SCHEDULED_PROMOTED_POSTS, id, query);
  }

  /** Returns the existing scheduled promoted post unchanged if the line item already waits for the post. */
  create(account: ActingAccount, request: Parsed<CreateScheduledPromotedPost>): Promise<Created<WaitingRow>> {
    return this.resources.change(account, SCHEDULED_PROMOTED_POSTS, [request], async (unit) => {
      const context = await this.contextOf(unit, request);
      const params = request.paramsUnless(problemsOfNew(request, context));
      const { post, attached } = context;
      if (attached) return new Created(attached, false);
      unit.require(this.scheduled.waits(post!.scheduled));
      const { line_item_id: lineItemId, scheduled_post_id: scheduledPostId } = params;
      const created = { accountId: account.id, lineItemId, scheduledPostId, callerId: account.userId };
      return new Created(unit.create({ ...created, postId: null, failure: null }), true);
    });
  }

  /** Possible until the minute in which the scheduled post goes live. */
  delete(account: ActingAccount, id: string): Promise<WaitingRow> {
    return this.resources.changeLocked(account, SCHEDULED_PROMOTED_POSTS, [], async (unit) => {
      const waiting = await unit.lockOne(id, {
        mode: 'pessimistic_write',
        narrow: (all) => this.items.ofShown(account, all),
      });
      const scheduled = (await this.scheduled.byId([waiting.scheduledPostId], unit.db)).values().next().value;
      throwErrors(definedErrors(undeletableProblem(waiting, scheduled, unit.now)));
      return unit.delete(id);
    });
  }

  private async contextOf(
    { account, db }: UnitOfWork<ScheduledPromotedPost>,
    request: Parsed<CreateScheduledPromotedPost>,
  ): Promise<WaitingContext> {
    const lineItemId = request.value('line_item_id');
    const postId = request.value('scheduled_post_id');
    const [item, post, attached] = await Promise.all([
      this.items.find(account, lineItemId, db),
      postId === undefined ? undefined : this.scheduled.find(account, postId, db),
      this.items.findBelonging(account, SCHEDULED_PROMOTED_POSTS, { lineItemId, scheduledPostId: postId }, db),
    ]);
    return { account, item, post, attached };
  }
}

/** Problems of a new scheduled promoted post, as far as its parameters are readable. */
function problemsOfNew(
  request: Parsed<CreateScheduledPromotedPost>,
  { account, item, post, attached }: WaitingContext,
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
    ...definedErrors(unfit),
    ...(asked !== undefined && !post ? [notFound('Scheduled Post', 'scheduled_post_id', asked, account.id)] : []),
    ...definedErrors(closed),
    ...(mayRepost || asked === undefined
      ? []
      : [repostNotAllowed('scheduled_post_id', 'Scheduled Post', asked, post.reposter!)]),
    ...definedErrors(unsuitable),
  ];
}

/** Only a scheduled post that is not live yet is accepted. */
const waitingProblem = ({
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
function undeletableProblem(
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
