import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { mayComposeFor, type ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { Clock } from '../../common/clock.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import { notFound } from '../../common/errors/catalogue.js';
import { Made } from '../../common/http/made.js';
import { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { type Page } from '../../common/http/page.js';
import type { ScheduledPost } from '../../creatives/entities/scheduled-post.entity.js';
import { ScheduledPostsService } from '../../creatives/scheduled-posts/scheduled-posts.service.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { LINE_ITEMS } from '../line-items/line-item.resource.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { repostNotAllowed, suitabilityProblem, takesPosts } from '../promoted-posts/promoted-post.rules.js';
import type { Shows } from '../promoted-posts/suitability.rules.js';
import type { ScheduledPromotedPost } from './scheduled-promoted-post.entity.js';
import { SCHEDULED_PROMOTED_POSTS } from './scheduled-promoted-post.resource.js';
import { undeletableProblem, waitingProblem } from './scheduled-promoted-post.rules.js';
import type { CreateScheduledPromotedPost, ListScheduledPromotedPosts } from './scheduled-promoted-posts.dto.js';

type WaitingRow = Row<ScheduledPromotedPost>;

/** What is judged where a post is to be promoted once it is live. */
interface Judged {
  item?: Row<LineItem>;
  post?: { scheduled: Row<ScheduledPost>; content: Shows; reposter?: string };
  /** The line item waits for it already. */
  attached?: WaitingRow;
}

@Injectable()
export class ScheduledPromotedPostsService {
  constructor(
    private readonly clock: Clock,
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly scheduled: ScheduledPostsService,
  ) {}

  list(account: ActingAccount, query: ListScheduledPromotedPosts): Promise<Page<WaitingRow>> {
    const waiting = this.of(account)
      .whereIn('id', query.scheduled_promoted_post_ids)
      .whereIn('lineItemId', query.line_item_ids);
    return page(this.items.ofShown(account, waiting, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<WaitingRow> {
    const waiting = this.items.ofShown(account, this.of(account), query);
    return one(waiting, id, SCHEDULED_PROMOTED_POSTS.notFoundError(account), query);
  }

  /** What the line item waits for already is answered as it is. */
  create(account: ActingAccount, params: CreateScheduledPromotedPost): Promise<Made<WaitingRow>> {
    const { line_item_id: lineItemId, scheduled_post_id: scheduledPostId } = params;
    return this.resources.edit(account, SCHEDULED_PROMOTED_POSTS, [], async (unitOfWork, db) => {
      const judged = await this.judged(account, params, db);
      refuseAny(problemsOf(account, Parsed.whole(params), judged));
      if (judged.attached) return new Made(judged.attached, false);
      unitOfWork.require(this.scheduled.waits(judged.post!.scheduled));
      const fields = { accountId: account.id, lineItemId, scheduledPostId, callerId: account.userId };
      return new Made(unitOfWork.create({ ...fields, postId: null, failure: null }), true);
    });
  }

  /** What is wrong with those parameters that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreateScheduledPromotedPost>): Promise<ApiError[]> {
    const named = { ...parsed.known('line_item_id'), ...parsed.known('scheduled_post_id') };
    return problemsOf(account, parsed, await this.judged(account, named));
  }

  /** Until the minute of the scheduled post. */
  delete(account: ActingAccount, id: string): Promise<WaitingRow> {
    return this.resources.edit(
      account,
      SCHEDULED_PROMOTED_POSTS,
      (all) => this.items.ofShown(account, all.where('id', id)),
      async (unitOfWork, db) => {
        const waiting = unitOfWork.find(id);
        const scheduled = (await this.scheduled.byId([waiting.scheduledPostId], db)).get(waiting.scheduledPostId);
        const problem = undeletableProblem(waiting, scheduled, this.clock.now());
        if (problem) throw problem;
        return unitOfWork.delete(id);
      },
      { lock: 'pessimistic_write' },
    );
  }

  private async judged(
    account: ActingAccount,
    { line_item_id: lineItemId, scheduled_post_id: postId }: Partial<CreateScheduledPromotedPost>,
    db?: EntityManager,
  ): Promise<Judged> {
    const [found, post, attached] = await Promise.all([
      lineItemId === undefined ? undefined : this.items.byId(account, [lineItemId], db),
      postId === undefined ? undefined : this.scheduled.promotable(account, postId, db),
      lineItemId === undefined || postId === undefined
        ? undefined
        : this.of(account, db).where('lineItemId', lineItemId).where('scheduledPostId', postId).getOne(),
    ]);
    return { item: found?.get(lineItemId!), post, attached };
  }

  private of(account: { id: string }, db?: EntityManager): Rows<ScheduledPromotedPost> {
    return this.resources.of(account, SCHEDULED_PROMOTED_POSTS, db);
  }
}

/** What is wrong with a new one, as far as its parameters could be read. */
function problemsOf(
  account: ActingAccount,
  parsed: Parsed<CreateScheduledPromotedPost>,
  { item, post, attached }: Judged,
): ApiError[] {
  if (item && attached) return [];
  const named = parsed.known('line_item_id');
  const asked = parsed.known('scheduled_post_id')?.scheduled_post_id;
  const unfit = item && takesPosts(item);
  const closed = post && waitingProblem(post.scheduled);
  const mayRepost = post?.reposter === undefined || mayComposeFor(account, post.reposter);
  const unsuitable =
    item && post && asked !== undefined && !unfit && !closed
      ? suitabilityProblem(item, 'scheduled_post_id', asked, post.content)
      : undefined;
  return [
    ...(named && !item ? [LINE_ITEMS.notFoundError(account)(named.line_item_id)] : []),
    ...(unfit ? [unfit] : []),
    ...(asked !== undefined && !post ? [notFound('Scheduled Post', 'scheduled_post_id', asked, account.id)] : []),
    ...(closed ? [closed] : []),
    ...(mayRepost || asked === undefined
      ? []
      : [repostNotAllowed('scheduled_post_id', 'Scheduled Post', asked, post.reposter!)]),
    ...(unsuitable ? [unsuitable] : []),
  ];
}
