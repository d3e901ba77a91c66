import { Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Returns, ReturnsFields, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { DraftPostView, presentDraftPost } from './draft-post.presenter.js';
import { CreateDraftPost, ListDraftPosts, UpdateDraftPost } from './draft-posts.dto.js';
import { DraftPostsService } from './draft-posts.service.js';
import { DraftPreviewsService } from './draft-previews.service.js';

@AccountController('draft_posts', { tag: 'Draft posts', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class DraftPostsController {
  constructor(
    private readonly drafts: DraftPostsService,
    private readonly previews: DraftPreviewsService,
  ) {}

  /** Lists the drafts of one promotable user, paged. */
  @Get()
  @ReturnsPage(DraftPostView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListDraftPosts) {
    return (await this.drafts.list(account, query)).map(presentDraftPost);
  }

  /** Returns one draft. */
  @Get(':draft_post_id')
  @Returns(DraftPostView)
  async get(@CurrentAccount() account: ActingAccount, @Param('draft_post_id') id: string, @Params() query: OneQuery) {
    return presentDraftPost(await this.drafts.get(account, id, query));
  }

  /** Creates a draft on behalf of a promotable user. */
  @Post()
  @Returns(DraftPostView, { status: 201 })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateDraftPost) request: Parsed<CreateDraftPost>,
  ) {
    return presentDraftPost(await this.drafts.create(account, request));
  }

  /** Updates the fields sent. An empty `card_uri` or `media_keys` removes the card or the media. */
  @Put(':draft_post_id')
  @Returns(DraftPostView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('draft_post_id') id: string,
    @ParsedParams(UpdateDraftPost) request: Parsed<UpdateDraftPost>,
  ) {
    return presentDraftPost(await this.drafts.update(account, id, request));
  }

  /** Deletes a draft permanently. Repeating the call returns 404. */
  @Delete(':draft_post_id')
  @Returns(DraftPostView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('draft_post_id') id: string) {
    return presentDraftPost(await this.drafts.delete(account, id));
  }

  /** Sends a preview of the draft to the authenticated user's notifications. Nobody else sees it. */
  @Post('preview/:draft_post_id')
  @HttpCode(200)
  @ReturnsFields(
    {
      message: {
        about: 'What to do next.',
        example: "See @beans's notifications to preview your draft post: https://api.example.com/notifications",
      },
    },
    { request: true, description: 'A message that says what to do next.' },
  )
  preview(@CurrentAccount() account: ActingAccount, @Param('draft_post_id') id: string) {
    return this.previews.send(account, id);
  }
}
