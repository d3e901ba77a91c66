import type { FastifyRequest } from 'fastify';
import { shown } from '../../common/http/params/refusals.js';
import { isBasicHeader } from '../headers/basic-header.js';
import { isBearerHeader } from '../headers/bearer-header.js';
import { isOAuthHeader } from '../headers/authorization-header.js';
import type { Refusal } from './signed-request.js';

/** The kind of credentials that an endpoint expects in the Authorization header. */
const WANTED = {
  signed: 'a request that is signed with OAuth 1.0a (`npx marquee sign` shows how)',
  basic: "an application's consumer key and secret as Authorization: Basic",
  bearer: 'the bearer token of an application as Authorization: Bearer (POST /oauth2/token returns it)',
} as const;

/** The hint for missing credentials or credentials of the wrong kind; undefined where the kind is right. */
export function hintOnScheme(
  { headers: { authorization = '' } }: Pick<FastifyRequest, 'headers'>,
  wanted: keyof typeof WANTED,
): string | undefined {
  const came = isOAuthHeader(authorization)
    ? 'signed'
    : isBearerHeader(authorization)
      ? 'bearer'
      : isBasicHeader(authorization)
        ? 'basic'
        : undefined;
  if (came === wanted) return undefined;
  const what =
    authorization === '' ? 'the request has no Authorization header' : `the request ${CAME[came ?? 'other']}`;
  return `This endpoint requires ${WANTED[wanted]}; ${what}.`;
}

const CAME = {
  signed: 'is signed with OAuth 1.0a',
  bearer: 'has a bearer token',
  basic: 'has Authorization: Basic',
  other: 'has an unknown authorization scheme',
};

/** The hint for a wrong key and secret at an endpoint with Basic authentication. */
export const hintOnBasic = (request: Pick<FastifyRequest, 'headers'>): string =>
  hintOnScheme(request, 'basic') ?? 'The consumer key is unknown, or the secret does not belong to it.';

/** The remedy for a refusal, where it is known. */
export function hintOnRefusal(
  { kind, help, hint, consumerKey }: Refusal,
  request: Pick<FastifyRequest, 'headers'>,
): string | undefined {
  const scheme = hintOnScheme(request, 'signed');
  switch (kind) {
    case 'no-credentials':
      return scheme;
    case 'bearer':
      return `${scheme} A bearer token acts for an application, but this endpoint acts for a user.`;
    case 'unknown-token':
      return isBearerHeader(request.headers.authorization ?? '')
        ? `${scheme} This bearer token is not valid either.`
        : 'The consumer key is valid, but the oauth_token is not: it was revoked, its user is suspended, or it comes from another store. `npx marquee token issue` creates a new one.';
    case 'unknown-application':
      return `The consumer key ${shown(consumerKey)} is unknown. demo-credentials.json in the data directory has the keys of the demo, and \`npx marquee app create\` creates others. Each store has its own keys.`;
    case 'token-of-another':
      return 'The consumer key and the oauth_token are valid, but the token belongs to another application.';
    case 'no-token':
      return 'This endpoint acts for a user: also sign with an access token and its secret. `npx marquee token issue` creates one.';
    case 'signature':
      return onSignature(help?.differs);
    case 'protocol':
    case 'out-of-bounds':
      return typeof hint === 'function' ? hint() : hint;
  }
}

function onSignature(differs: string | undefined): string {
  if (differs !== undefined) return `The signature does not match: ${differs}.`;
  return (
    'The signature does not match, and no common mistake explains it. Compare signature_help.base_string with the ' +
    'one that your client signed. If they are equal, the consumer secret or the token secret is wrong. ' +
    '`npx marquee sign` and the Swagger page at /docs show how they sign the same request with their keys.'
  );
}
