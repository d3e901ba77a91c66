import type { KeyAndSecret } from '../../auth/credentials/tokens.js';
import { CommandRefusal } from '../refusal.js';
import { freshly, signed } from '../request/draft.js';
import { schemeProblemOf, send } from '../request/send.js';
import { isSuspicious, whoAnswers } from '../request/who-answers.js';

/** An application and the service. */
export interface Client {
  consumer: KeyAndSecret;
  baseUrl: string;
  /** The source of its credentials. */
  from: string;
}

/** The result of a flow: the access token and its user. */
export interface LoggedIn extends KeyAndSecret {
  userId: string;
  username: string;
}

/** The PIN is wrong. The flow continues. */
export class WrongPin extends Error {}

/** Starts a flow that ends with a PIN. */
export async function requestToken(client: Client, access?: string): Promise<KeyAndSecret> {
  const extra = { oauth_callback: 'oob', ...(access !== undefined && { x_auth_access_type: access }) };
  const answer = await post(client, '/oauth/request_token', { extra });
  if (!answer.ok) throw new CommandRefusal(await refusalOf(client, '/oauth/request_token', answer));
  return pairOf(new URLSearchParams(await answer.text()));
}

/** The page on which the user approves the flow. */
export const authorizePage = ({ baseUrl }: Client, { key }: KeyAndSecret): string =>
  `${baseUrl}/oauth/authorize?oauth_token=${encodeURIComponent(key)}`;

/** Completes a flow with the PIN of the page; throws WrongPin where it is wrong. */
export async function accessToken(client: Client, token: KeyAndSecret, pin: string): Promise<LoggedIn> {
  const answer = await post(client, '/oauth/access_token', { token, extra: { oauth_verifier: pin } });
  if (answer.status === 401 && (await codeOf(answer.clone())) === WRONG_VERIFIER) throw new WrongPin();
  if (!answer.ok) throw new CommandRefusal(await refusalOf(client, '/oauth/access_token', answer));
  const form = new URLSearchParams(await answer.text());
  return { ...pairOf(form), userId: form.get('user_id') ?? '', username: form.get('screen_name') ?? '' };
}

/** Revokes the access token at the service; false where it was revoked before. */
export async function invalidate(client: Client, token: KeyAndSecret): Promise<boolean> {
  const answer = await post(client, '/1.1/oauth/invalidate_token', { token });
  if (answer.ok) return true;
  if (answer.status === 401 && (await codeOf(answer.clone())) === ENDED) return false;
  throw new CommandRefusal(await refusalOf(client, '/1.1/oauth/invalidate_token', answer));
}

const WRONG_VERIFIER = 32;
const ENDED = 89;

function post(
  { consumer, baseUrl }: Client,
  path: string,
  { token, extra = {} }: { token?: KeyAndSecret; extra?: Record<string, string> },
): Promise<Response> {
  const request = { method: 'POST' as const, url: `${baseUrl}${path}`, headers: [], form: [] };
  return send(signed(request, { consumer, token, ...freshly() }, extra));
}

function pairOf(form: URLSearchParams): KeyAndSecret {
  const [key, secret] = [form.get('oauth_token'), form.get('oauth_token_secret')];
  if (!key || !secret)
    throw new CommandRefusal('the response has no token; check whether the URL is a Marquee service');
  return { key, secret };
}

interface Errors {
  errors?: { code?: number; message?: string; hint?: string }[];
}

const errorsOf = async (answer: Response) => ((await answer.json().catch(() => ({}))) as Errors).errors ?? [];
const codeOf = async (answer: Response) => (await errorsOf(answer))[0]?.code;

/** The error of the service and, where in doubt, which service answered. */
async function refusalOf({ baseUrl, from }: Client, path: string, answer: Response): Promise<string> {
  const messages = (await errorsOf(answer.clone())).map(({ message = '', hint }) =>
    hint ? `${message} (${hint})` : message,
  );
  const url = `${baseUrl}${path}`;
  const advice = isSuspicious(answer)
    ? ((await schemeProblemOf(url, answer)) ?? (await whoAnswers(url, from)))
    : undefined;
  return [`${answer.status} ${messages.join('; ')}`.trim(), ...(advice ? [advice] : [])].join('\n');
}
