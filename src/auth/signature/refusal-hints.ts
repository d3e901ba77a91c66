import type { FastifyRequest } from 'fastify';
import { sentenceOf } from '../../common/errors/api-error.js';
import { quotedValue } from '../../common/http/params/refusals.js';
import { isBasicHeader, isBearerHeader, isOAuthHeader, readBasic } from '../headers/authorization-header.js';
import { charactersAround } from './secret-mistakes.js';
import type { SignatureRefusal } from './signed-request.js';

/** The kind of credentials that an endpoint expects in the Authorization header. */
const EXPECTED = {
  signed: 'a request that is signed with OAuth 1.0a (`npx marquee sign` shows how)',
  basic: "an application's consumer key and secret as Authorization: Basic",
  bearer: 'the bearer token of an application as Authorization: Bearer (POST /oauth2/token returns it)',
} as const;

/** The hint for missing credentials or credentials of the wrong kind; undefined where the kind is right. */
export function hintOnScheme(
  { headers: { authorization = '' } }: Pick<FastifyRequest, 'headers'>,
  expected: keyof typeof EXPECTED,
): string | undefined {
  const scheme = isOAuthHeader(authorization)
    ? 'signed'
    : isBearerHeader(authorization)
      ? 'bearer'
      : isBasicHeader(authorization)
        ? 'basic'
        : undefined;
  if (scheme === expected) return undefined;
  const finding =
    authorization === '' ? 'the request has no Authorization header' : `the request ${FOUND[scheme ?? 'other']}`;
  return `This endpoint requires ${EXPECTED[expected]}; ${finding}.`;
}

const FOUND = {
  signed: 'is signed with OAuth 1.0a',
  bearer: 'has a bearer token',
  basic: 'has Authorization: Basic',
  other: 'has an unknown authorization scheme',
};

/** The hint for a wrong key and secret at an endpoint with Basic authentication. */
export function hintOnBasic(request: Pick<FastifyRequest, 'headers'>): string {
  const scheme = hintOnScheme(request, 'basic');
  if (scheme !== undefined) return scheme;
  const { key = '', secret = '' } = readBasic(request.headers.authorization ?? '') ?? {};
  const around = charactersAround(key) ?? charactersAround(secret);
  const guess = around
    ? ` One of them has ${around}.`
    : key.length > secret.length
      ? ' The key is longer than the secret: were they exchanged?'
      : '';
  return `The consumer key is unknown, or the secret does not belong to it.${guess}`;
}

/** The remedy for a refusal, where it is known. */
export function hintOnRefusal(
  { kind, help, hint, consumerKey = '', because = 'unknown' }: SignatureRefusal,
  request: Pick<FastifyRequest, 'headers'>,
): string | undefined {
  const scheme = hintOnScheme(request, 'signed');
  const explained = sentenceOf(hint);
  if (explained !== undefined) return explained;
  switch (kind) {
    case 'no-credentials':
      return scheme;
    case 'bearer':
      return `${scheme} The bearer token of an application acts for the application, but this endpoint acts for a user. ${OF_USERS}`;
    case 'unknown-token':
      return isBearerHeader(request.headers.authorization ?? '')
        ? `${BEARERS[because] ?? BEARERS.unknown} ${OF_USERS}`
        : `The consumer key is valid, but ${INVALID_TOKEN[because]}. \`npx marquee token issue\` creates a new one.`;
    case 'unknown-application':
      return `The consumer key ${shownKey(consumerKey)} is unknown. demo-credentials.json in the data directory has the keys of the demo, and \`npx marquee app create\` creates others. Each store has its own keys.`;
    case 'token-of-another':
      return 'The consumer key and the oauth_token are valid, but the token belongs to another application.';
    case 'no-token':
      return 'This endpoint acts for a user: also sign with an access token and its secret. `npx marquee token issue` creates one.';
    case 'signature':
      return onSignature(help?.differs);
    case 'protocol':
    case 'out-of-bounds':
      return undefined;
  }
}

const OF_USERS =
  'Requests for a user are signed with OAuth 1.0a, or have the access token that the user gave the application by OAuth 2.0.';

const BEARERS: Record<string, string> = {
  'expired-token': 'The access token has expired: exchange the refresh token at POST /2/oauth2/token.',
  'revoked-token': 'The access token was revoked, or the user approved the application again since.',
  'suspended-user': 'The user of the access token is suspended.',
  unknown: 'This bearer token is unknown.',
};

const INVALID_TOKEN: Record<string, string> = {
  'revoked-token': 'the oauth_token was revoked',
  'suspended-user': 'the user of the oauth_token is suspended',
  unknown: 'the oauth_token is unknown: it is no access token, or it comes from another store',
};

/** A text that is longer than a consumer key may be a secret. */
const shownKey = (key: string) => (key.length > 30 ? `${quotedValue(key.slice(0, 4))}...` : quotedValue(key));

function onSignature(differs: string | undefined): string {
  if (differs !== undefined) return `The signature does not match: ${differs}.`;
  return (
    'The signature does not match, and no common mistake explains it. Compare signature_help.base_string with the ' +
    'one that your client signed. If they are equal, the consumer secret or the token secret is wrong. ' +
    '`npx marquee sign` and the Swagger page at /docs show how they sign the same request with their keys.'
  );
}
