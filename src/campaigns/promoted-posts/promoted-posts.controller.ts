import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import { presentPromotedPost, PromotedPostView } from './promoted-post.presenter.js';
import { CreatePromotedPosts, ListPromotedPosts } from './promoted-posts.dto.js';
import { PromotedPostsService } from './promoted-posts.service.js';

@AccountController('promoted_posts', {
  tag: 'Promoted posts',
  reads: CAMPAIGNS_READ,
  writes: CAMPAIGNS_WRITE,
  quota: 'CORE_READS',
})
export class PromotedPostsController {
  constructor(private readonly promoted: PromotedPostsService) {}

  /** Lists the posts that the account promotes, with filters and pagination. */
  @Get()
  @ReturnsPage(PromotedPostView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListPromotedPosts) {
    return (await this.promoted.list(account, query)).map(presentPromotedPost);
  }

  /** Returns a promoted post. */
  @Get(':promoted_post_id')
  @Returns(PromotedPostView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('promoted_post_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentPromotedPost(await this.promoted.get(account, id, query));
  }

  /** Promotes posts with a line item, all or none. Returns existing promoted posts unchanged. */
  @Post()
  @ReturnsPage(PromotedPostView, { status: [200, 201], alwaysCounted: true })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreatePromotedPosts) request: Parsed<CreatePromotedPosts>,
  ) {
    return (await this.promoted.create(account, request)).map((posts) => posts.map(presentPromotedPost));
  }

  /** Stops promoting a post, by the `id` of the promoted post. Repeating the call returns 404. */
  @Delete(':promoted_post_id')
  @Returns(PromotedPostView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('promoted_post_id') id: string) {
    return presentPromotedPost(await this.promoted.delete(account, id));
  }
}
