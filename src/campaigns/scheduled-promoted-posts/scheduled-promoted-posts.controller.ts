import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import { ReturnsMade, ReturnsOne, ReturnsPage } from '../../common/http/answers/responses.js';
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

  /** The scheduled posts that line items are to promote, filtered and paged. */
  @Get()
  @ReturnsPage(ScheduledPromotedPostView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListScheduledPromotedPosts) {
    return (await this.waiting.list(account, query)).map(presentScheduledPromotedPost);
  }

  /** One scheduled promoted post. */
  @Get(':scheduled_promoted_post_id')
  @ReturnsOne(ScheduledPromotedPostView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('scheduled_promoted_post_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentScheduledPromotedPost(await this.waiting.get(account, id, query));
  }

  /** Has a line item promote a scheduled post once it is live; what it waits for already is answered as it is. */
  @Post()
  @ReturnsMade(ScheduledPromotedPostView)
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateScheduledPromotedPost) request: Parsed<CreateScheduledPromotedPost>,
  ) {
    return (await this.waiting.create(account, request)).map(presentScheduledPromotedPost);
  }

  /** Has it not be promoted, until the minute in which it goes live; again is 404. */
  @Delete(':scheduled_promoted_post_id')
  @ReturnsOne(ScheduledPromotedPostView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('scheduled_promoted_post_id') id: string) {
    return presentScheduledPromotedPost(await this.waiting.delete(account, id));
  }
}
