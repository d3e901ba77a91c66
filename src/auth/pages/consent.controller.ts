import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isWeb, withOutcome } from '../oauth1/callbacks.js';
import { FlowsService, type Flow } from '../oauth1/flows.service.js';
import { RequestTokensService } from '../oauth1/request-tokens.service.js';
import type { SignedIn } from '../sessions/sessions.service.js';
import { PageController } from './page.guard.js';
import { Pages, secured } from './pages.js';
import { formOf, queryOf, Visits, type Visit } from './visits.js';

/** `authorize` always asks; `authenticate` may skip a question that was answered before (Part 1, 4.1). */
type Way = 'authorize' | 'authenticate';

/** The middle of the three-legged flow: the user says yes or no. */
@PageController('oauth')
export class ConsentController {
  constructor(
    private readonly flows: FlowsService,
    private readonly requestTokens: RequestTokensService,
    private readonly visits: Visits,
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

  private async ask(way: Way, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { oauth_token: text = '', force_login: forced = '', screen_name: username = '' } = queryOf(request);
    const visit = await this.visits.of(request, reply);
    const flow = await this.flows.find(text);
    if (!flow) return this.over(reply, visit);
    if (way === 'authenticate' && flow.application.desktop) return this.desktop(reply, visit);
    if (!visit.user || /^(true|1|t)$/i.test(forced)) return this.signIn(reply, visit, way, flow, username);
    if (way === 'authenticate' && (await this.mayPass(flow, visit.user)))
      return this.approve(reply, visit, flow, visit.user);
    await this.pages.show(reply, 'approve', visit, { flow, way }, { leaves: true });
  }

  private async decide(way: Way, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { oauth_token: text = '', decision } = formOf(request);
    const visit = await this.visits.of(request, reply);
    const flow = await this.flows.find(text);
    if (!flow) return this.over(reply, visit);
    if (way === 'authenticate' && flow.application.desktop) return this.desktop(reply, visit);
    if (!visit.user) return this.signIn(reply, visit, way, flow, '');
    if (!this.visits.isOurForm(request)) {
      const again = { flow, way, error: 'This page was out of date. Please decide again.' };
      return this.pages.show(reply, 'approve', visit, again, { status: 403, leaves: true });
    }
    if (decision === 'approve') return this.approve(reply, visit, flow, visit.user);
    return this.refuse(reply, visit, flow);
  }

  /** The sign-in switch of the application lets those pass who approved it before; a PIN is always asked for. */
  private async mayPass(flow: Flow, user: SignedIn): Promise<boolean> {
    return flow.application.signIn && flow.token.callback !== null && this.flows.isApprovedBefore(flow, user.userId);
  }

  private async approve(reply: FastifyReply, visit: Visit, { text, token, application }: Flow, user: SignedIn) {
    const verifier = await this.requestTokens.approve(token.id, user.userId);
    if (verifier === undefined) return this.over(reply, visit);
    if (token.callback === null) return this.pages.show(reply, 'pin', visit, { pin: verifier, application });
    await leave(reply, withOutcome(token.callback, { oauth_token: text, oauth_verifier: verifier }));
  }

  private async refuse(reply: FastifyReply, visit: Visit, { text, token, application }: Flow) {
    if (!(await this.requestTokens.refuse(token.id))) return this.over(reply, visit);
    const back = token.callback === null ? undefined : withOutcome(token.callback, { denied: text });
    // A program on the user's device is told at once; a web site is returned to by a click.
    if (back !== undefined && !isWeb(back)) return leave(reply, back);
    await this.pages.show(reply, 'cancelled', visit, { application, back });
  }

  private async signIn(reply: FastifyReply, visit: Visit, way: Way, flow: Flow, username: string) {
    const data = { flow, way, username: username.replace(/^@/, '').slice(0, 200) };
    await this.pages.show(reply, 'sign-in', visit, data, { leaves: true });
  }

  private over(reply: FastifyReply, visit: Visit) {
    return this.pages.problem(reply, visit, {
      title: 'This request is no longer valid',
      text: 'There is no valid request token here: it may have expired, been used already, or never existed. Please go back to the application and start again.',
      status: 403,
    });
  }

  private desktop(reply: FastifyReply, visit: Visit) {
    return this.pages.problem(reply, visit, {
      title: 'This application uses another way to connect',
      text: 'Desktop applications send their users to oauth/authorize. Please tell the makers of the application.',
      status: 403,
    });
  }
}

const leave = (reply: FastifyReply, location: string) => secured(reply, true).redirect(location, 302);
