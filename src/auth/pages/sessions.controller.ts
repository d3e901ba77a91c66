import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../guards/oauth-admission.js';
import { FlowsService } from '../oauth1/flows.service.js';
import { SignInService, type SignInOutcome } from '../sessions/sign-in.service.js';
import { PageController } from './page.guard.js';
import { Pages, withSecurityHeaders } from './pages.js';
import { formFieldsOf } from '../../common/http/bodies/single-fields.js';
import { BrowserSessions } from './browser-sessions.js';

const BUSY_SECONDS = 2;

/** The pages for signing in and out. */
@PageController('oauth')
export class SessionsController {
  constructor(
    private readonly flows: FlowsService,
    private readonly signIns: SignInService,
    private readonly browserSessions: BrowserSessions,
    private readonly pages: Pages,
  ) {}

  @Get('sign_in')
  async form(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await this.pages.show(reply, 'sign-in', await this.browserSessions.of(request, reply));
  }

  /** Redirects only to our own pages, whatever the form contains. */
  @Post('sign_in')
  async signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { username = '', password = '', oauth_token: oauthToken, endpoint, next } = formFieldsOf(request);
    const session = await this.browserSessions.of(request, reply);
    const flow = oauthToken ? await this.flows.find(oauthToken) : undefined;
    const again = { flow, endpoint: endpointOf(endpoint), username, next };
    const show = (status: number, error: string, reason?: string) =>
      this.pages.show(
        reply,
        'sign-in',
        session,
        { ...again, error },
        { status, reason, mayLeadToCallback: flow !== undefined || AUTHORIZE_PAGE.test(next ?? '') },
      );
    if (!this.browserSessions.isOurForm(request)) return show(403, 'This page was out of date. Please sign in again.');

    const outcome = await this.signIns.signIn(username, password, networkOf(request.ip));
    const problem = problemOf(outcome);
    if (problem) {
      if (problem.retryAfter) reply.header('retry-after', problem.retryAfter);
      return show(problem.status, problem.error, problem.reason);
    }
    const { prefix } = await this.browserSessions.renew(request, reply, (outcome as { session: string }).session);
    await withSecurityHeaders(reply, true).redirect(`${prefix}${nextPage(oauthToken, endpoint, next)}`, 303);
  }

  @Post('sign_out')
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    if (!this.browserSessions.isOurForm(request)) {
      const session = await this.browserSessions.of(request, reply);
      return this.pages.show(reply, 'sign-out', session, {}, { status: 403 });
    }
    await this.pages.show(reply, 'signed-out', await this.browserSessions.renew(request, reply));
  }
}

const endpointOf = (endpoint?: string) => (endpoint === 'authenticate' ? 'authenticate' : 'authorize');

/** The pages that send users to sign in and to which they return, by the name in the sign-in form. */
const OWN_PAGES: Record<string, string> = { notifications: '/notifications' };
/** The pages of the workbench, by their path and query. */
const WORKBENCH_PAGE = /^\/workbench(\/[\w-]+)*(\?[\w%&=.,*~+:/-]*)?$/;
const MAX_NEXT_LENGTH = 2_000;
/** The page of approval of OAuth 2.0, with a query as URLSearchParams writes it: callback, scopes and state. */
const AUTHORIZE_PAGE = /^\/i\/oauth2\/authorize\?[\w%&=.*+-]{1,10000}$/;

function nextPage(token: string | undefined, endpoint: string | undefined, next = ''): string {
  if (token) return `/oauth/${endpointOf(endpoint)}?oauth_token=${encodeURIComponent(token)}`;
  if (next.length <= MAX_NEXT_LENGTH && WORKBENCH_PAGE.test(next)) return next;
  if (AUTHORIZE_PAGE.test(next)) return next;
  return (Object.hasOwn(OWN_PAGES, next) && OWN_PAGES[next]) || '/oauth/applications';
}

interface SignInProblem {
  status: number;
  error: string;
  retryAfter?: number;
  /** The reason, for the log. */
  reason?: string;
}

function problemOf(outcome: SignInOutcome): SignInProblem | undefined {
  if (outcome === 'wrong')
    return {
      status: 403,
      error: 'The username and password you entered did not match. Please try again.',
      reason: 'name-or-password',
    };
  if (outcome === 'busy')
    return {
      status: 503,
      error: 'Many people are signing in at the moment. Please try again in a few seconds.',
      retryAfter: BUSY_SECONDS,
    };
  if ('waitSeconds' in outcome)
    return {
      status: 429,
      error: `Too many attempts to sign in. Please try again in ${outcome.waitSeconds} seconds.`,
      retryAfter: outcome.waitSeconds,
      reason: 'sign-in-attempts',
    };
  return undefined;
}
