import { Get } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params } from '../../common/http/params/params.js';
import { ReturnsList } from '../../common/http/answers/returns.js';
import { CREATIVES_READ } from '../creatives.permissions.js';
import { PostPreviewView, presentPostPreview } from './post-preview.presenter.js';
import { ListPostPreviews } from './post-previews.dto.js';
import { PostPreviewsService } from './post-previews.service.js';
import { PreviewLinks } from './preview-links.js';

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
    const { id: accountId } = account;
    const posts = await this.previews.list(account, query);
    return posts.map((post) => {
      const { postType, id: postId } = post;
      return presentPostPreview(post, this.links.to({ accountId, postType, postId }, account.now()));
    });
  }
}
