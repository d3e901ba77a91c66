import { Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BrowserSessions } from '../../auth/pages/browser-sessions.js';
import { PageController } from '../../auth/pages/page.guard.js';
import { Pages } from '../../auth/pages/pages.js';
import { PostPreviewsService } from './post-previews.service.js';
import { PreviewNotificationsService } from './preview-notifications.service.js';
import { PreviewPages } from './preview-pages.js';

/** Serves the notifications page with the drafts that a user requested to preview. */
@PageController('notifications')
export class NotificationsController {
  constructor(
    private readonly notifications: PreviewNotificationsService,
    private readonly previews: PostPreviewsService,
    private readonly browserSessions: BrowserSessions,
    private readonly pages: Pages,
    private readonly previewPages: PreviewPages,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const session = await this.browserSessions.of(request, reply);
    if (!session.user) return this.pages.show(reply, 'sign-in', session, { next: 'notifications' });
    const lines = await this.notifications.newest(session.user.userId);
    const body = this.previewPages.notifications(lines, session.prefix);
    await this.pages.wrap(reply, session, { title: 'Notifications', body });
  }

  @Get(':notification_id')
  async open(@Param('notification_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const session = await this.browserSessions.of(request, reply);
    if (!session.user) return this.pages.show(reply, 'sign-in', session, { next: 'notifications' });
    const { userId, username } = session.user;
    const found = await this.notifications.open(userId, id);
    const post =
      found && (await this.previews.find({ accountId: found.accountId, postType: 'DRAFT', postId: found.draftPostId }));
    if (!post) return this.pages.problem(reply, GONE, session);
    await this.previewPages.timeline(reply, post, { prefix: session.prefix, username });
  }
}

const GONE = {
  title: 'This draft no longer exists',
  text: 'It was deleted, or the notification is older than 30 days.',
  status: 404,
};
