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
  bearer: 'the bearer token of an application as Authorization: Bearer (POST /oauth2/token gives it)',
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
  const what = authorization === '' ? 'no Authorization header came' : `what came is ${CAME[came ?? 'other']}`;
  return `This endpoint takes ${WANTED[wanted]}; ${what}.`;
}

const CAME = {
  signed: 'signed with OAuth 1.0a',
  bearer: 'a bearer token',
  basic: 'Authorization: Basic',
  other: 'of no kind that is known here',
};

/** The hint for a wrong key and secret at an endpoint with Basic authentication. */
export const hintOnBasic = (request: Pick<FastifyRequest, 'headers'>): string =>
  hintOnScheme(request, 'basic') ?? 'The consumer key is not known here, or the secret is not that of it.';

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
      return `${scheme} A bearer speaks for an application, and here a user has to be spoken for.`;
    case 'unknown-token':
      return isBearerHeader(request.headers.authorization ?? '')
        ? `${scheme} This bearer token is not in force either.`
        : 'The consumer key is known here, the oauth_token is not in force: it was revoked, its user is suspended, or it comes from another store. `npx marquee token issue` makes another.';
    case 'unknown-application':
      return `The consumer key ${shown(consumerKey)} is not known here. demo-credentials.json in the data directory has the keys of the demo, \`npx marquee app create\` makes others; each store has its own.`;
    case 'token-of-another':
      return 'The consumer key and the oauth_token are both known here, but the token was given to another application.';
    case 'no-token':
      return 'This endpoint acts for a user: sign with an access token and its secret, too. `npx marquee token issue` makes one.';
    case 'signature':
      return onSignature(help?.differs);
    case 'protocol':
    case 'out-of-bounds':
      return typeof hint === 'function' ? hint() : hint;
  }
}

function onSignature(differs: string | undefined): string {
  if (differs !== undefined) return `The signature does not fit: ${differs}.`;
  return (
    'The signature does not fit, and no mistake that is known here explains it. Compare signature_help.base_string with the ' +
    'one that your client signed: where they are equal, the consumer secret or the token secret is a wrong one. ' +
    '`npx marquee sign` and the Swagger page at /docs show how the same request is signed with the keys that they have.'
  );
}
