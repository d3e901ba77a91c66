import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Made } from '../../common/http/answers/made.js';
import type { Page } from '../../common/http/answers/page.js';
import { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import type { ScheduledPromotedPost } from './scheduled-promoted-post.entity.js';
import { SCHEDULED_PROMOTED_POSTS } from './scheduled-promoted-post.resource.js';
import { ScheduledPromotedPostWrites } from './scheduled-promoted-post.writes.js';
import type { CreateScheduledPromotedPost, ListScheduledPromotedPosts } from './scheduled-promoted-posts.dto.js';

type WaitingRow = Row<ScheduledPromotedPost>;

/** Lists, creates and deletes the scheduled posts that line items will promote. */
@Injectable()
export class ScheduledPromotedPostsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly writes: ScheduledPromotedPostWrites,
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
  create(account: ActingAccount, request: Parsed<CreateScheduledPromotedPost>): Promise<Made<WaitingRow>> {
    return this.resources.perform(account, this.writes.create, request);
  }

  /** Possible until the minute in which the scheduled post goes live. */
  delete(account: ActingAccount, id: string): Promise<WaitingRow> {
    return this.resources.perform(account, this.writes.delete, Parsed.whole({ scheduled_promoted_post_id: id }));
  }
}
