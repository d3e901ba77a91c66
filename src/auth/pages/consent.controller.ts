import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { destinationOf, isWeb, withOutcome } from '../credentials/callbacks.js';
import { FlowsService, type Flow } from '../oauth1/flows.service.js';
import { RequestTokensService } from '../oauth1/request-tokens.service.js';
import type { SignedIn } from '../sessions/sessions.service.js';
import { PageController } from './page.guard.js';
import { Pages, withSecurityHeaders } from './pages.js';
import { formFieldsOf, queryParametersOf } from '../../common/http/bodies/single-fields.js';
import { BrowserSessions, type BrowserSession } from './browser-sessions.js';

/** `authorize` always asks the user. `authenticate` does not ask again about an application that the user approved before. */
type ConsentEndpoint = 'authorize' | 'authenticate';

/** The pages of the three-legged flow on which the user approves or refuses an application. */
@PageController('oauth')
export class ConsentController {
  constructor(
    private readonly flows: FlowsService,
    private readonly requestTokens: RequestTokensService,
    private readonly browserSessions: BrowserSessions,
    private readonly pages: Pages,
  ) {}

  @Get('authorize')
  authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return this.ask('authorize', request, reply);
  }

  @Get('authenticate')
  authenticate(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return this.ask('authenticate', request, reply);
  }

  @Post('authorize')
  decideOnAuthorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return this.decide('authorize', request, reply);
  }

  @Post('authenticate')
  decideOnAuthenticate(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return this.decide('authenticate', request, reply);
  }

  private async ask(endpoint: ConsentEndpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const {
      oauth_token: oauthToken = '',
      force_login: forced = '',
      screen_name: username = '',
    } = queryParametersOf(request);
    const session = await this.browserSessions.of(request, reply);
    const flow = await this.flows.find(oauthToken);
    if (!flow) return this.noLongerValid(reply, session);
    if (endpoint === 'authenticate' && flow.application.desktop) return this.desktopRefused(reply, session);
    if (!session.user || /^(true|1|t)$/i.test(forced)) return this.signIn(reply, session, endpoint, flow, username);
    if (endpoint === 'authenticate' && (await this.maySkipConsent(flow, session.user)))
      return this.approve(reply, session, flow, session.user);
    await this.showConsent(reply, session, { flow, endpoint });
  }

  /** The consent page. It shows the owner of the application and the callback host, since anybody can copy a name. */
  private async showConsent(
    reply: FastifyReply,
    session: BrowserSession,
    { flow, ...data }: { flow: Flow; endpoint: ConsentEndpoint; error?: string },
    status = 200,
  ) {
    const { callback } = flow.token;
    const owner = await this.flows.ownerOf(flow.application);
    const way = callback === null ? 'pin' : isWeb(callback) ? 'web' : 'app';
    const destination = callback === null ? undefined : destinationOf(callback);
    const shown = { ...data, flow, owner, way, destination };
    await this.pages.show(reply, 'approve', session, shown, { status, mayLeadToCallback: true });
  }

  private async decide(endpoint: ConsentEndpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { oauth_token: oauthToken = '', decision } = formFieldsOf(request);
    const session = await this.browserSessions.of(request, reply);
    const flow = await this.flows.find(oauthToken);
    if (!flow) return this.noLongerValid(reply, session);
    if (endpoint === 'authenticate' && flow.application.desktop) return this.desktopRefused(reply, session);
    if (!session.user) return this.signIn(reply, session, endpoint, flow, '');
    if (!this.browserSessions.isOurForm(request)) {
      const again = { flow, endpoint, error: 'This page was out of date. Please decide again.' };
      return this.showConsent(reply, session, again, 403);
    }
    if (decision === 'approve') return this.approve(reply, session, flow, session.user);
    return this.refuse(reply, session, flow);
  }

  /** With sign-in enabled, users who approved the application before are not asked again. A PIN flow always asks. */
  private async maySkipConsent(flow: Flow, user: SignedIn): Promise<boolean> {
    return flow.application.signIn && flow.token.callback !== null && this.flows.isApprovedBefore(flow, user.userId);
  }

  private async approve(
    reply: FastifyReply,
    session: BrowserSession,
    { oauthToken, token, application }: Flow,
    user: SignedIn,
  ) {
    const verifier = await this.requestTokens.approve(token.id, user.userId);
    if (verifier === undefined) return this.noLongerValid(reply, session);
    if (token.callback === null) return this.pages.show(reply, 'pin', session, { pin: verifier, application });
    await redirectToCallback(reply, withOutcome(token.callback, { oauth_token: oauthToken, oauth_verifier: verifier }));
  }

  private async refuse(reply: FastifyReply, session: BrowserSession, { oauthToken, token, application }: Flow) {
    if (!(await this.requestTokens.refuse(token.id))) return this.noLongerValid(reply, session);
    const back = token.callback === null ? undefined : withOutcome(token.callback, { denied: oauthToken });
    // The page opens an application on the device at once; a web site gets a link.
    if (back !== undefined && !isWeb(back)) return redirectToCallback(reply, back);
    await this.pages.show(reply, 'cancelled', session, { application, back });
  }

  private async signIn(
    reply: FastifyReply,
    session: BrowserSession,
    endpoint: ConsentEndpoint,
    flow: Flow,
    username: string,
  ) {
    const data = { flow, endpoint, username: username.replace(/^@/, '').slice(0, 200) };
    await this.pages.show(reply, 'sign-in', session, data, { mayLeadToCallback: true });
  }

  private noLongerValid(reply: FastifyReply, session: BrowserSession) {
    return this.pages.problem(
      reply,
      {
        title: 'This request is no longer valid',
        text: 'The request token is not valid: it may have expired, been used already, or never existed. Please go back to the application and start again.',
        status: 403,
        reason: 'request-token',
      },
      session,
    );
  }

  private desktopRefused(reply: FastifyReply, session: BrowserSession) {
    return this.pages.problem(
      reply,
      {
        title: 'This application must connect in another way',
        text: 'Desktop applications must send their users to oauth/authorize. Please contact the developers of the application.',
        status: 403,
        reason: 'desktop-application',
      },
      session,
    );
  }
}

const redirectToCallback = (reply: FastifyReply, location: string) =>
  withSecurityHeaders(reply, true).redirect(location, 302);
