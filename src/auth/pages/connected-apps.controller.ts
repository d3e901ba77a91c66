import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { scopesInWords } from '../credentials/scopes.js';
import { FlowsService } from '../oauth1/flows.service.js';
import { PageController } from './page.guard.js';
import { Pages, withSecurityHeaders } from './pages.js';
import { formFieldsOf, queryParametersOf } from '../../common/http/bodies/single-fields.js';
import { BrowserSessions, type BrowserSession } from './browser-sessions.js';

/** The page of applications that can act for the user, and their revocation. */
@PageController('oauth/applications')
export class ConnectedAppsController {
  constructor(
    private readonly flows: FlowsService,
    private readonly browserSessions: BrowserSessions,
    private readonly pages: Pages,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const session = await this.browserSessions.of(request, reply);
    if (!session.user) return this.pages.show(reply, 'sign-in', session);
    await this.pages.show(reply, 'applications', session, {
      connections: await this.flows.connections(session.user.userId),
      inWords: scopesInWords,
    });
  }

  /** Asks for confirmation before anything is revoked. */
  @Get('revoke')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const session = await this.browserSessions.of(request, reply);
    if (!session.user) return this.pages.show(reply, 'sign-in', session);
    const { application_id: id = '' } = queryParametersOf(request);
    const connection = await this.flows.connection(session.user.userId, id);
    if (!connection) return backToList(reply, session);
    await this.pages.show(reply, 'revoke', session, { connection, inWords: scopesInWords });
  }

  @Post()
  async revoke(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const session = await this.browserSessions.of(request, reply);
    if (!session.user) return this.pages.show(reply, 'sign-in', session);
    if (!this.browserSessions.isOurForm(request)) {
      const connections = await this.flows.connections(session.user.userId);
      const error = 'This page was out of date. Please try again.';
      return this.pages.show(
        reply,
        'applications',
        session,
        { connections, inWords: scopesInWords, error },
        { status: 403 },
      );
    }
    const { application_id: id } = formFieldsOf(request);
    if (id) await this.flows.disconnect(session.user.userId, id);
    await backToList(reply, session);
  }
}

const backToList = (reply: FastifyReply, { prefix }: BrowserSession) =>
  withSecurityHeaders(reply).redirect(`${prefix}/oauth/applications`, 303);
