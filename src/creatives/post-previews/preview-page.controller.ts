import { Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccountTimes } from '../../accounts/times/account-times.service.js';
import { PageController } from '../../auth/pages/page.guard.js';
import { PostPreviewsService } from './post-previews.service.js';
import { PreviewLinks } from './preview-links.js';
import { PreviewPages } from './preview-pages.js';

/** Serves the pages in preview iframes. The URL is the only credential: no session, no cookie. */
@PageController('previews', {
  quota: 'PREVIEWS',
  pages: PreviewPages,
  titleOf: () => 'This preview is not available at the moment',
})
export class PreviewPageController {
  constructor(
    private readonly previews: PostPreviewsService,
    private readonly links: PreviewLinks,
    private readonly pages: PreviewPages,
    private readonly times: AccountTimes,
  ) {}

  @Get(':token')
  async show(@Param('token') token: string, @Res() reply: FastifyReply) {
    const previewed = this.links.read(token);
    if (previewed === undefined) return this.pages.problem(reply, UNKNOWN);
    if (previewed.expiresAt <= (await this.times.of(previewed.accountId)).now())
      return this.pages.problem(reply, EXPIRED);
    const post = await this.previews.find(previewed);
    if (!post) return this.pages.problem(reply, GONE);
    await this.pages.post(reply, post);
  }
}

const UNKNOWN = {
  title: 'This preview does not exist',
  text: 'The URL of this preview is incomplete, or was changed.',
  status: 404,
};
const EXPIRED = {
  title: 'This preview has expired',
  text: 'A preview is available for 24 hours. Please request a new one.',
  status: 410,
};
const GONE = {
  title: 'This post no longer exists',
  text: 'It was deleted after the preview was created, or the account can no longer see it.',
  status: 404,
};
