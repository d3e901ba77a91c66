import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { ScheduledPostView, presentScheduledPost } from './scheduled-post.presenter.js';
import { CreateScheduledPost, ListScheduledPosts, UpdateScheduledPost } from './scheduled-posts.dto.js';
import { ScheduledPostsService } from './scheduled-posts.service.js';

@AccountController('scheduled_posts', { tag: 'Scheduled posts', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class ScheduledPostsController {
  constructor(private readonly scheduled: ScheduledPostsService) {}

  /** Lists the scheduled posts of one promotable user, published ones included, paged. */
  @Get()
  @ReturnsPage(ScheduledPostView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListScheduledPosts) {
    return (await this.scheduled.list(account, query)).map(presentScheduledPost);
  }

  /** Returns one scheduled post. */
  @Get(':scheduled_post_id')
  @Returns(ScheduledPostView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('scheduled_post_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentScheduledPost(await this.scheduled.get(account, id, query));
  }

  /** Schedules a post on behalf of a promotable user. */
  @Post()
  @Returns(ScheduledPostView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateScheduledPost) request: Parsed<CreateScheduledPost>,
  ) {
    return presentScheduledPost(await this.scheduled.create(account, request));
  }

  /** Updates the fields sent, until the scheduled minute. Empty `card_uri` or `media_keys` removes card or media. */
  @Put(':scheduled_post_id')
  @Returns(ScheduledPostView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('scheduled_post_id') id: string,
    @ParsedParams(UpdateScheduledPost) request: Parsed<UpdateScheduledPost>,
  ) {
    return presentScheduledPost(await this.scheduled.update(account, id, request));
  }

  /** Permanently deletes a scheduled post that is not published yet. Repeating the call returns 404. */
  @Delete(':scheduled_post_id')
  @Returns(ScheduledPostView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('scheduled_post_id') id: string) {
    return presentScheduledPost(await this.scheduled.delete(account, id));
  }
}
