import { Get, Param } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params } from '../../common/http/params/params.js';
import { ReturnsList } from '../../common/http/answers/returns.js';
import { CREATIVES_READ } from '../creatives.permissions.js';
import { SCHEDULED_POSTS } from '../entities/scheduled-post.entity.js';
import { PostPreviewView, presentPostPreview } from './post-preview.presenter.js';
import { ListPostPreviews } from './post-previews.dto.js';
import { PostPreviewsService } from './post-previews.service.js';
import { PreviewLinks } from './preview-links.js';
import type { ShownPost } from './preview-post.rules.js';

@AccountController('post_previews', { tag: 'Posts', reads: CREATIVES_READ })
export class PostPreviewsController {
  constructor(
    private readonly previews: PostPreviewsService,
    private readonly links: PreviewLinks,
  ) {}

  /** Returns previews of posts: one iframe each, whose page is available for 24 hours. */
  @Get()
  @ReturnsList(PostPreviewView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListPostPreviews) {
    return presentIn(account, this.links)(await this.previews.list(account, query));
  }
}

@AccountController('scheduled_posts/preview', { tag: 'Scheduled posts', reads: CREATIVES_READ })
export class ScheduledPreviewsController {
  constructor(
    private readonly previews: PostPreviewsService,
    private readonly links: PreviewLinks,
  ) {}

  /** Returns the preview of a scheduled post, as a list of one: an iframe, whose page is available for 24 hours. */
  @Get(':scheduled_post_id')
  @ReturnsList(PostPreviewView)
  async get(@CurrentAccount() account: ActingAccount, @Param('scheduled_post_id') id: string) {
    const posts = await this.previews.list(account, { post_ids: [id], post_type: 'SCHEDULED' });
    if (posts.length === 0) throw SCHEDULED_POSTS.notFoundError(account)(id);
    return presentIn(account, this.links)(posts);
  }
}

const presentIn = (account: ActingAccount, links: PreviewLinks) => (posts: ShownPost[]) =>
  posts.map((post) => {
    const { postType, id: postId, dynamicProductAd } = post;
    const viewer = dynamicProductAd ? { viewerId: account.userId } : {};
    return presentPostPreview(post, links.to({ accountId: account.id, postType, postId, ...viewer }, account.now()));
  });
