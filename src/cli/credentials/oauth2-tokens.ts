import { Clock } from '../../common/time/clock.js';
import { CommandRefusal } from '../refusal.js';
import type { Credentials } from './profiles.js';

const EXPIRES_SOON_SECONDS = 60;
const ANSWER_MS = 10_000;

/** A client of OAuth 2.0 and the service. */
export interface OAuth2Client {
  baseUrl: string;
  clientId: string;
  /** Of a confidential client. */
  clientSecret?: string;
}

/** What a profile keeps of a sign-in. Times are in seconds since 1970. */
export interface OAuth2Tokens {
  oauth2_access_token: string;
  oauth2_refresh_token?: string;
  oauth2_expires_at: string;
}

/** The tokens of a profile, refreshed if they end soon; undefined if they are valid. A Refusal if there are no new ones. */
export async function refreshed(client: OAuth2Client, credentials: Credentials): Promise<OAuth2Tokens | undefined> {
  const { oauth2_expires_at: expiresAt = '0', oauth2_refresh_token: token } = credentials;
  if (Number(expiresAt) > new Clock().seconds() + EXPIRES_SOON_SECONDS) return undefined;
  if (!token) throw new CommandRefusal('the access token has expired; sign in again with `marquee login --oauth2`');
  return tokensFrom(client, { grant_type: 'refresh_token', refresh_token: token });
}

/** Revokes the tokens at the service. */
export async function revokeTokens(client: OAuth2Client, token: string): Promise<void> {
  await post(client, '/2/oauth2/revoke', { token });
}

/** The tokens that the service gives for a form. A Refusal if it gives none. */
export async function tokensFrom(client: OAuth2Client, form: Record<string, string>): Promise<OAuth2Tokens> {
  const answer = await post(client, '/2/oauth2/token', form);
  const body = (await answer.json().catch(() => ({}))) as Record<string, string>;
  if (!answer.ok || !body.access_token)
    throw new CommandRefusal(`${answer.status} ${body.error_description ?? body.detail ?? ''}; sign in again`);
  return {
    oauth2_access_token: body.access_token,
    ...(body.refresh_token && { oauth2_refresh_token: body.refresh_token }),
    oauth2_expires_at: String(new Clock().seconds() + Number(body.expires_in)),
  };
}

async function post({ baseUrl, clientId, clientSecret }: OAuth2Client, path: string, form: Record<string, string>) {
  const basic = clientSecret && Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  try {
    return await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: basic ? { authorization: `Basic ${basic}` } : {},
      body: new URLSearchParams(basic ? form : { ...form, client_id: clientId }),
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  } catch (error) {
    throw new CommandRefusal(`${baseUrl} does not answer: ${(error as Error).message}`);
  }
}
