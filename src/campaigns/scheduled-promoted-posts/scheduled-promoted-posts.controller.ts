import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import { presentScheduledPromotedPost, ScheduledPromotedPostView } from './scheduled-promoted-post.presenter.js';
import { CreateScheduledPromotedPost, ListScheduledPromotedPosts } from './scheduled-promoted-posts.dto.js';
import { ScheduledPromotedPostsService } from './scheduled-promoted-posts.service.js';

@AccountController('scheduled_promoted_posts', {
  tag: 'Scheduled promoted posts',
  reads: CAMPAIGNS_READ,
  writes: CAMPAIGNS_WRITE,
})
export class ScheduledPromotedPostsController {
  constructor(private readonly waiting: ScheduledPromotedPostsService) {}

  /** Lists the scheduled posts that line items will promote, with filters and pagination. */
  @Get()
  @ReturnsPage(ScheduledPromotedPostView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListScheduledPromotedPosts) {
    return (await this.waiting.list(account, query)).map(presentScheduledPromotedPost);
  }

  /** Returns a scheduled promoted post. */
  @Get(':scheduled_promoted_post_id')
  @Returns(ScheduledPromotedPostView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('scheduled_promoted_post_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentScheduledPromotedPost(await this.waiting.get(account, id, query));
  }

  /**
   * Promotes a scheduled post with a line item as soon as it is live. If the line item already waits for the post,
   * returns the existing scheduled promoted post unchanged.
   */
  @Post()
  @Returns(ScheduledPromotedPostView, { status: [200, 201] })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateScheduledPromotedPost) request: Parsed<CreateScheduledPromotedPost>,
  ) {
    return (await this.waiting.create(account, request)).map(presentScheduledPromotedPost);
  }

  /** Cancels the promotion, until the minute in which the post goes live. Repeating the call returns 404. */
  @Delete(':scheduled_promoted_post_id')
  @Returns(ScheduledPromotedPostView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('scheduled_promoted_post_id') id: string) {
    return presentScheduledPromotedPost(await this.waiting.delete(account, id));
  }
}
