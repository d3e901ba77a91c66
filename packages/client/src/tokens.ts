import { send } from './sending.js';
import { authorization, encodedPairs, type Authorizer, type Credentials, type Pair } from './signing.js';

/** The tokens of a user for an application (OAuth 2.0). */
export interface TokenSet {
  accessToken: string;
  /** With the scope `offline.access`. Each one is valid once. */
  refreshToken?: string;
  /** When the access token expires, in milliseconds since 1970. */
  expiresAt?: number;
}

/** An application and a user by OAuth 2.0, instead of keys that sign. */
export interface OAuth2Credentials {
  clientId: string;
  /** Of a confidential client only. */
  clientSecret?: string;
  tokens: TokenSet;
  /** Stores new tokens. They are used once it ends. If it throws, the next request calls it again. */
  onTokens?: (tokens: TokenSet) => void | Promise<void>;
}

/** @internal */
interface TokenEndpoint {
  baseUrl: string;
  fetch: typeof fetch;
  timeoutMs: number;
  now: () => number;
}

/** An access token is renewed so long before it expires. */
const EARLY_MS = 60_000;
/** The service repeats the answer to a refresh for ten seconds: the last attempt begins before they end. */
const REFRESH = { retries: 2, maxWaitMs: 1_000 };
const MAX_ATTEMPT_MS = 3_000;

/** @internal Signs each request (OAuth 1.0a). */
export const signer = (credentials: Credentials): Authorizer => ({
  header: (request) => authorization({ ...request, credentials }),
});

/** @internal Sends the access token, and refreshes it before it expires or after a 401: once for all requests that wait. */
export function bearer({ tokens, onTokens, ...client }: OAuth2Credentials, endpoint: TokenEndpoint): Authorizer {
  let current = tokens;
  let isStored = true;
  let renewing: Promise<void> | undefined;
  const renew = () =>
    (renewing ??= (async () => {
      if (isStored) current = await refreshed(current.refreshToken!, client, endpoint);
      isStored = false;
      await onTokens?.(current);
      isStored = true;
    })().finally(() => (renewing = undefined)));
  const headerNow = () => `Bearer ${current.accessToken}`;
  return {
    async header() {
      const { refreshToken, expiresAt } = current;
      const ends = refreshToken !== undefined && expiresAt !== undefined && expiresAt - EARLY_MS <= endpoint.now();
      if (ends || !isStored) await renew();
      return headerNow();
    },
    async renewed(rejected) {
      if (current.refreshToken === undefined) return false;
      if (rejected === headerNow()) await renew();
      return true;
    },
  };
}

async function refreshed(
  refreshToken: string,
  { clientId, clientSecret }: Pick<OAuth2Credentials, 'clientId' | 'clientSecret'>,
  { baseUrl, timeoutMs, ...sending }: TokenEndpoint,
): Promise<TokenSet> {
  const form: Pair[] = [
    ['grant_type', 'refresh_token'],
    ['refresh_token', refreshToken],
  ];
  if (clientSecret === undefined) form.push(['client_id', clientId]);
  const basic = clientSecret && `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const request = new Request(`${baseUrl}/2/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: encodedPairs(form),
  });
  const response = await send(request, {
    ...sending,
    ...REFRESH,
    authorizer: { header: () => basic },
    timeoutMs: Math.min(timeoutMs, MAX_ATTEMPT_MS),
  });
  const body = (await response.json()) as Record<string, string> & { expires_in: number };
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    expiresAt: sending.now() + body.expires_in * 1_000,
  };
}
