import { Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { queryParametersOf, formFieldsOf, type SingleFields } from '../../common/http/bodies/single-fields.js';
import { Config } from '../../config/config.js';
import type { Application } from '../credentials/application.entity.js';
import { ApplicationQueries } from '../credentials/application.queries.js';
import { destinationOf, isWeb, withOutcome } from '../credentials/callbacks.js';
import { UsersService } from '../credentials/users.service.js';
import { isRegistered, readAuthorization, stateOf, type AuthorizationRequest } from '../grants/authorization.rules.js';
import { issuerOf } from '../grants/discovery.js';
import { GrantsService } from '../grants/grants.service.js';
import { scopesInWords } from '../credentials/scopes.js';
import { PageController } from './page.guard.js';
import { Pages, withSecurityHeaders } from './pages.js';
import { BrowserSessions, type BrowserSession } from './browser-sessions.js';

/** The parameters of a request, as the form of the page and the page after a sign-in repeat them. */
const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];
/** The path of the page, also for requests to the other one. */
const PATH = '/i/oauth2/authorize';

/** A request whose answer may be sent to the application. */
interface Asked {
  application: Application;
  redirectUri: string;
  query: SingleFields;
}

/**
 * The page on which a user allows an application scopes by OAuth 2.0. It always asks. A request with an unknown client or
 * callback is never redirected.
 */
@PageController(['i/oauth2', '2/oauth2'])
export class AuthorizeController {
  constructor(
    private readonly applications: ApplicationQueries,
    private readonly users: UsersService,
    private readonly grants: GrantsService,
    private readonly browserSessions: BrowserSessions,
    private readonly pages: Pages,
    private readonly config: Config,
  ) {}

  @Get('authorize')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const session = await this.browserSessions.of(request, reply);
    const asked = await this.find(request, reply, session);
    if (!asked) return;
    const wanted = readAuthorization(asked.query, asked.application);
    if ('error' in wanted) return this.redirect(reply, asked, outcomeOf(wanted));
    const isForced = queryParametersOf(request).force_login === 'true';
    if (!session.user || isForced) return this.signIn(reply, session, asked);
    await this.show(reply, session, asked, wanted);
  }

  @Post('authorize')
  async decide(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const session = await this.browserSessions.of(request, reply);
    const asked = await this.find(request, reply, session);
    if (!asked) return;
    const { application, redirectUri, query } = asked;
    const wanted = readAuthorization(query, application);
    if ('error' in wanted) return this.redirect(reply, asked, outcomeOf(wanted));
    if (!session.user) return this.signIn(reply, session, asked);
    if (!this.browserSessions.isOurForm(request))
      return this.show(reply, session, asked, wanted, 'This page was out of date. Please decide again.');
    if (formFieldsOf(request).decision !== 'approve')
      return this.redirect(reply, asked, {
        error: 'access_denied',
        error_description: 'the user refused',
      });
    const { scopes, challenge, challengeMethod } = wanted;
    const { userId } = session.user;
    const approved = { userId, applicationId: application.id, scopes, redirectUri, challenge, challengeMethod };
    await this.redirect(reply, asked, { code: await this.grants.approve(approved) });
  }

  /** The application and the callback; otherwise shows what is wrong with them. */
  private async find(
    request: FastifyRequest,
    reply: FastifyReply,
    session: BrowserSession,
  ): Promise<Asked | undefined> {
    const query = queryParametersOf(request);
    const { client_id: clientId, redirect_uri: redirectUri } = query;
    const application = clientId ? await this.applications.findByClientId(clientId) : null;
    if (!application) {
      await this.problem(reply, session, 'The client_id is missing or unknown.', 'unknown-application');
      return undefined;
    }
    if (!redirectUri || !isRegistered(redirectUri, application)) {
      const text = `The redirect_uri is missing, or is not a callback of ${application.name}.`;
      await this.problem(reply, session, text, 'redirect-uri');
      return undefined;
    }
    return { application, redirectUri, query };
  }

  private problem(reply: FastifyReply, session: BrowserSession, text: string, reason: string) {
    return this.pages.problem(
      reply,
      {
        title: 'This application cannot be connected',
        text: `${text} Please go back, and tell the developers of the application.`,
        status: 400,
        reason,
      },
      session,
    );
  }

  private async signIn(reply: FastifyReply, session: BrowserSession, asked: Asked) {
    const data = { application: asked.application, next: pathOf(asked) };
    await this.pages.show(reply, 'sign-in', session, data, { mayLeadToCallback: true });
  }

  /** The owner and the host of the callback are shown, since anybody can copy a name. */
  private async show(
    reply: FastifyReply,
    session: BrowserSession,
    asked: Asked,
    { scopes }: AuthorizationRequest,
    error?: string,
  ) {
    const { application, redirectUri } = asked;
    const [owner] = await this.users.findByIds([application.ownerId]);
    const data = {
      application,
      owner,
      error,
      path: pathOf(asked),
      scopes: scopesInWords(scopes),
      isWeb: isWeb(redirectUri),
      destination: destinationOf(redirectUri),
    };
    await this.pages.show(reply, 'authorize', session, data, {
      status: error === undefined ? 200 : 403,
      mayLeadToCallback: true,
    });
  }

  /**
   * Sends the browser back by 303, so that it does not repeat the form there. `iss` tells an application with several
   * authorization servers which one answers (RFC 9207).
   */
  private async redirect(reply: FastifyReply, { redirectUri, query }: Asked, outcome: Record<string, string>) {
    const state = stateOf(query);
    const answer = { ...(state !== undefined && { state }), ...outcome, iss: issuerOf(this.config) };
    await withSecurityHeaders(reply, true).redirect(withOutcome(redirectUri, answer), 303);
  }
}

const outcomeOf = ({ error, description }: { error: string; description: string }) => ({
  error,
  error_description: description,
});

/** The request as a path of our own. */
function pathOf({ query }: Asked): string {
  const given = PARAMETERS.flatMap((name): [string, string][] => (query[name] ? [[name, query[name]]] : []));
  return `${PATH}?${new URLSearchParams(given).toString()}`;
}
