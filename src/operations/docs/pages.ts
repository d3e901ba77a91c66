import type { OpenAPIObject } from '@nestjs/swagger';
import { CHALLENGE_METHODS } from '../../auth/grants/grant.entity.js';
import { SCOPES } from '../../auth/credentials/scopes.js';
import { LOOPBACK_CALLBACK } from '../../demo/credentials-file.js';
import { describeErrors } from './error-schemas.js';
import type { EndpointHandler } from './handlers.js';
import type { Operation } from './operation.js';

const html = (description: string) => ({
  description,
  content: { 'text/html': { schema: { type: 'string' } as const, example: '<!doctype html>…' } },
});

interface QueryParameter {
  type?: 'string' | 'boolean';
  /** Present exactly where it is required. */
  example?: string;
}

const query = (name: string, description: string, { type = 'string', example }: QueryParameter = {}) => ({
  name,
  in: 'query' as const,
  required: example !== undefined,
  description,
  schema: { type, ...(example !== undefined && { example }) },
});

const redirect = (description: string) => ({
  description,
  headers: { location: { description: 'The callback', schema: { type: 'string' as const, format: 'uri' } } },
});

const FORCE_LOGIN = query('force_login', 'Whether the user must sign in again.', { type: 'boolean' });

const page = (operationId: string, summary: string, others: Operation['responses'] = {}): Operation => ({
  operationId,
  summary,
  description: 'A page for a browser. The application sends the user to it with a request token.',
  tags: ['Authentication'],
  parameters: [
    query('oauth_token', 'The request token.', { example: 'a-request-token' }),
    FORCE_LOGIN,
    query('screen_name', 'The username for the sign-in form.'),
  ],
  responses: {
    200: html('A page that asks the user to sign in or to approve the application'),
    ...others,
    403: html('A page that says that the request token is not valid, or not for this endpoint'),
    429: html('A page that says when to try again'),
  },
  security: [],
});

/** That of the verifier in RFC 7636, appendix B. */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** The page of OAuth 2.0, which has two paths. */
const oauth2Page = (operationId: string): Operation => ({
  operationId,
  summary: 'Asks the user whether the application may act for them, by OAuth 2.0 with PKCE',
  description:
    'A page for a browser. The user signs in and decides. The browser then goes to `redirect_uri` with `code`, `state` and `iss`, or with ' +
    '`error`, `error_description`, `state` and `iss`. The code is valid for 30 seconds, once, at `POST /2/oauth2/token`.',
  tags: ['Authentication'],
  parameters: [
    query('response_type', 'Always `code`.', { example: 'code' }),
    query('client_id', 'The client id of the application.', { example: 'a-client-id' }),
    query('redirect_uri', 'A callback of the application, letter by letter.', { example: LOOPBACK_CALLBACK }),
    query('scope', `The scopes, separated by spaces: ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}.`, {
      example: 'ads.read users.read',
    }),
    query('state', 'A value that the callback repeats; at most 500 characters.', { example: 'a-random-state' }),
    query('code_challenge', 'The SHA-256 of the verifier in base64url, or with `plain` the verifier.', {
      example: CHALLENGE,
    }),
    query(
      'code_challenge_method',
      `How the challenge comes from the verifier: ${CHALLENGE_METHODS.map((method) => `\`${method}\``).join(' or ')}.`,
      {
        example: 'S256',
      },
    ),
    FORCE_LOGIN,
  ],
  responses: {
    200: html('A page that asks the user to sign in or to approve the application'),
    303: redirect(
      'Redirects to the callback with `error`: a parameter other than the client and the callback is wrong',
    ),
    400: html('A page that says that the client is unknown, or that the callback is not one of its own'),
    429: html('A page that says when to try again'),
  },
  security: [],
});

/** The pages to which an application sends its users. They return HTML, so no decorator describes them. */
const PAGES: Record<string, Operation> = {
  'GET /oauth/authorize': page('authorize', 'Asks the user whether the application may act for them'),
  'GET /oauth/authenticate': page(
    'authenticate',
    'Signs the user in to the application, and asks for approval only if necessary',
    { 302: redirect('Redirects to the callback if the user has already approved the application') },
  ),
  'GET /i/oauth2/authorize': oauth2Page('authorizeOAuth2'),
  'GET /2/oauth2/authorize': oauth2Page('authorizeOAuth2V2'),
};

/** Adds the pages to the document. */
export function describePages(document: OpenAPIObject, handlers: EndpointHandler[]): void {
  const components = (document.components ??= {});
  const routes = new Set(handlers.flatMap((handler) => handler.routes));
  for (const [route, operation] of Object.entries(PAGES)) {
    if (!routes.has(route)) throw new Error(`there is no ${route} to describe`);
    const path = route.split(' ')[1];
    describeErrors(path, operation, components);
    document.paths[path] = { get: operation };
  }
}
