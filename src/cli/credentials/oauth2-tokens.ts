import { setTimeout as pause } from 'node:timers/promises';
import { Clock } from '../../common/time/clock.js';
import { CommandRefusal } from '../refusal.js';
import type { Credentials } from './profiles.js';

const EXPIRES_SOON_SECONDS = 60;
const ANSWER_MS = 10_000;
/** The service repeats the answer to a refresh for ten seconds: the last attempt begins before they end. */
const REFRESH_ATTEMPTS = 3;
const REFRESH_ANSWER_MS = 3_000;
const REFRESH_PAUSE_MS = 250;
const UNAVAILABLE = new Set([502, 503, 504]);

/** The service does not answer at present. */
class NoAnswer extends CommandRefusal {}

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

/** True if the access token ends within a minute. */
export const expiresSoon = ({ oauth2_expires_at: expiresAt = '0' }: Credentials): boolean =>
  Number(expiresAt) <= new Clock().seconds() + EXPIRES_SOON_SECONDS;

/** New tokens of a profile. A Refusal if there are none. */
export async function refreshed(client: OAuth2Client, credentials: Credentials): Promise<OAuth2Tokens> {
  const { oauth2_refresh_token: token } = credentials;
  if (!token) throw new CommandRefusal('the access token has expired; sign in again with `marquee login --oauth2`');
  for (let attempts = 1; ; attempts++) {
    try {
      return await tokensFrom(client, { grant_type: 'refresh_token', refresh_token: token }, REFRESH_ANSWER_MS);
    } catch (error) {
      if (attempts === REFRESH_ATTEMPTS || !(error instanceof NoAnswer)) throw error;
    }
    await pause(REFRESH_PAUSE_MS);
  }
}

/** Revokes the tokens at the service. A Refusal if it does not. */
export async function revokeTokens(client: OAuth2Client, token: string): Promise<void> {
  const answer = await post(client, '/2/oauth2/revoke', { token });
  if (answer.ok) return;
  const { body } = answer;
  const why = `${answer.status} ${body.error_description ?? body.detail ?? ''}`;
  throw new CommandRefusal(`${why}; the service did not revoke the tokens, and the profile is kept`);
}

/** The tokens that the service gives for a form. A Refusal if it gives none. */
export async function tokensFrom(
  client: OAuth2Client,
  form: Record<string, string>,
  timeoutMs = ANSWER_MS,
): Promise<OAuth2Tokens> {
  const { ok, status, body } = await post(client, '/2/oauth2/token', form, timeoutMs);
  if (UNAVAILABLE.has(status)) throw new NoAnswer(`${client.baseUrl} does not answer: status ${status}`);
  if (!ok || !body.access_token)
    throw new CommandRefusal(`${status} ${body.error_description ?? body.detail ?? ''}; sign in again`);
  return {
    oauth2_access_token: body.access_token,
    ...(body.refresh_token && { oauth2_refresh_token: body.refresh_token }),
    oauth2_expires_at: String(new Clock().seconds() + Number(body.expires_in)),
  };
}

async function post(
  { baseUrl, clientId, clientSecret }: OAuth2Client,
  path: string,
  form: Record<string, string>,
  timeoutMs = ANSWER_MS,
) {
  const basic = clientSecret && Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  try {
    const answer = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: basic ? { authorization: `Basic ${basic}` } : {},
      body: new URLSearchParams(basic ? form : { ...form, client_id: clientId }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { ok, status } = answer;
    return { ok, status, body: parsed(await answer.text()) };
  } catch (error) {
    throw new NoAnswer(`${baseUrl} does not answer: ${(error as Error).message}`);
  }
}

function parsed(text: string): Record<string, string> {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    return {};
  }
}
