import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Page } from '../../common/http/answers/page.js';
import type { Created } from '../../common/http/answers/results.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { PostPromotion } from './post-promotion.service.js';
import { PROMOTED_POSTS, type PromotedPost } from './promoted-post.entity.js';
import type { CreatePromotedPosts, ListPromotedPosts } from './promoted-posts.dto.js';

type PromotedRow = Row<PromotedPost>;

/** Lists, creates and deletes the promoted posts of line items. */
@Injectable()
export class PromotedPostsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly promotion: PostPromotion,
  ) {}

  list(account: ActingAccount, query: ListPromotedPosts): Promise<Page<PromotedRow>> {
    const promoted = this.resources
      .of(account, PROMOTED_POSTS)
      .whereIn('id', query.promoted_post_ids)
      .whereIn('lineItemId', query.line_item_ids);
    return page(this.items.ofShown(account, promoted, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<PromotedRow> {
    return this.items.getBelonging(account, PROMOTED_POSTS, id, query);
  }

  /** All or none. Returns existing promoted posts unchanged. */
  create(account: ActingAccount, request: Parsed<CreatePromotedPosts>): Promise<Created<Page<PromotedRow>>> {
    return this.resources.change(account, PROMOTED_POSTS, [request], (unit) => this.promotion.create(unit, request));
  }

  /** Stops the promotion. The post remains unchanged and can be promoted again. */
  delete(account: ActingAccount, id: string): Promise<PromotedRow> {
    return this.items.deleteBelonging(account, PROMOTED_POSTS, id, 'POST');
  }
}
