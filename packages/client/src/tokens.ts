import { MarqueeError } from './errors.js';
import { authorization, encodedPairs, type Credentials, type Pair, type Signed } from './signing.js';

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
  /** Stores new tokens. They are used once it ends, because the earlier refresh token is not valid any more. */
  onTokens?: (tokens: TokenSet) => void | Promise<void>;
}

/** @internal What gives requests their `Authorization` header. */
export interface Authorizer {
  header(request: Omit<Signed, 'credentials'>): string | Promise<string>;
  /** Renews what a header was made of, which the service rejected; returns whether another attempt may succeed. */
  renewed?(rejected: string): Promise<boolean>;
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
/** The service repeats the answer to a refresh for some seconds, for a client that did not receive it. */
const ATTEMPTS = 3;

/** @internal Signs each request (OAuth 1.0a). */
export const signer = (credentials: Credentials): Authorizer => ({
  header: (request) => authorization({ ...request, credentials }),
});

/** @internal Sends the access token, and refreshes it before it expires or after a 401: once for all requests that wait. */
export function bearer({ tokens, onTokens, ...client }: OAuth2Credentials, endpoint: TokenEndpoint): Authorizer {
  let current = tokens;
  let renewing: Promise<void> | undefined;
  const renew = () =>
    (renewing ??= (async () => {
      const next = await refreshed(current.refreshToken!, client, endpoint);
      await onTokens?.(next);
      current = next;
    })().finally(() => (renewing = undefined)));
  const headerNow = () => `Bearer ${current.accessToken}`;
  return {
    async header() {
      const { refreshToken, expiresAt } = current;
      if (refreshToken !== undefined && expiresAt !== undefined && expiresAt - EARLY_MS <= endpoint.now())
        await renew();
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
  { baseUrl, fetch, timeoutMs, now }: TokenEndpoint,
): Promise<TokenSet> {
  const isPublic = clientSecret === undefined;
  const form: Pair[] = [
    ['grant_type', 'refresh_token'],
    ['refresh_token', refreshToken],
  ];
  if (isPublic) form.push(['client_id', clientId]);
  const request = {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(!isPublic && { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` }),
    },
    body: encodedPairs(form),
  };
  const attempt = async (left: number): Promise<Response> => {
    try {
      return await fetch(`${baseUrl}/2/oauth2/token`, { ...request, signal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      if (left === 0) throw error;
      return attempt(left - 1);
    }
  };
  const response = await attempt(ATTEMPTS - 1);
  const body = (await response.json().catch(() => ({}))) as Record<string, string> & { expires_in: number };
  if (!response.ok) {
    const errors = [
      { code: body.error ?? response.status, message: body.error_description ?? 'The token is not renewed' },
    ];
    throw new MarqueeError({
      status: response.status,
      headers: response.headers,
      body: { ...body, errors },
      attempts: 1,
    });
  }
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    expiresAt: now() + body.expires_in * 1_000,
  };
}
