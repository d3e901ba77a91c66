import { readFileSync } from 'node:fs';
import { Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UserController } from '../auth/guards/user-controller.js';
import { BrowserSessions } from '../auth/pages/browser-sessions.js';
import { PageController } from '../auth/pages/page.guard.js';
import { PageAssets, Pages } from '../auth/pages/pages.js';
import { SessionsService } from '../auth/sessions/sessions.service.js';
import { pageNotFound } from '../common/errors/catalogue.js';
import { Config } from '../config/config.js';
import { readDemoCredentials } from './credentials-file.js';

const ASSETS = new PageAssets('', readFileSync(new URL('./open.eta', import.meta.url), 'utf8').trim());

const BODY = `<h1>Open the workbench</h1>
<p id="said" role="status">Run <code>npx marquee open</code> for a link to this page.</p>
<p id="next" hidden>Run <code>npx marquee open</code> again, or <a href="../workbench">open the workbench</a> if this browser is signed in.</p>
<noscript><p>This page needs JavaScript. Sign in with the password of the demo instead.</p></noscript>`;

/** The page that the link of `marquee open` leads to. Its script sends what is behind the `#`. */
@PageController('demo/open')
export class DemoOpenPageController {
  constructor(
    private readonly config: Config,
    private readonly pages: Pages,
  ) {}

  @Get()
  async show(@Res() reply: FastifyReply) {
    if (this.config.production) throw pageNotFound();
    await this.pages.wrap(reply, {}, { title: 'Open the workbench', body: BODY }, { assets: ASSETS });
  }
}

/**
 * Signs the demo's user in, in the browser that sends a signature of `marquee open`. A signature works once at all replicas,
 * and for five minutes, as that of any request.
 */
@ApiExcludeController()
@UserController('demo/open', { tag: 'Workbench', quota: 'WORKBENCH', writeQuota: 'WORKBENCH' })
export class DemoOpenController {
  constructor(
    private readonly config: Config,
    private readonly sessions: SessionsService,
    private readonly browserSessions: BrowserSessions,
  ) {}

  @Post()
  @HttpCode(200)
  async open(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const demo = this.config.production ? undefined : readDemoCredentials(this.config.dataDir);
    if (demo === undefined || request.user!.userId !== demo.user_id) throw pageNotFound();
    const session = await this.sessions.start(demo.user_id);
    if (session === undefined) throw pageNotFound();
    await this.browserSessions.renew(request, reply, session);
    return { opened: true };
  }
}
