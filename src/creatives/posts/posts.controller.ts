import { Get, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { CREATIVES_READ, CREATIVES_WRITE } from '../creatives.permissions.js';
import { CreatedPostView, PostView, presentCreatedPost, presentPost } from './post.presenter.js';
import { CreatePost, ListPosts, RenamePost } from './posts.dto.js';
import { PostsService } from './posts.service.js';
import { SeenPosts } from './seen-posts.service.js';

@AccountController('posts', { tag: 'Posts', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class PostsController {
  constructor(
    private readonly posts: PostsService,
    private readonly seen: SeenPosts,
  ) {}

  /** Lists the published, draft or scheduled posts of one promotable user, paged. */
  @Get()
  @ReturnsPage(PostView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListPosts) {
    return (await this.posts.list(account, query)).map((post) => presentPost(post, this.seen.links));
  }

  /** Renames a published post within the account. An empty name removes the name. */
  @Put(':post_id/name')
  @Returns(PostView)
  async rename(@CurrentAccount() account: ActingAccount, @Param('post_id') id: string, @Params() params: RenamePost) {
    return presentPost(await this.posts.rename(account, id, params), this.seen.links);
  }
}

@AccountController('post', { tag: 'Posts', reads: CREATIVES_READ, writes: CREATIVES_WRITE })
export class PostController {
  constructor(
    private readonly posts: PostsService,
    private readonly seen: SeenPosts,
  ) {}

  /** Publishes a post on behalf of a promotable user. Promoted only, unless that user sets `nullcast` to false. */
  @Post()
  @Returns(CreatedPostView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @ParsedParams(CreatePost) request: Parsed<CreatePost>) {
    return presentCreatedPost(
      await this.posts.create(account, request),
      this.seen.links,
      request.value('post_mode') ?? 'compat',
    );
  }
}
