import { createHash, randomBytes } from 'node:crypto';
import { ApplicationsService, type NewApplication } from '../../../src/auth/credentials/applications.service.js';
import type { ClientType } from '../../../src/auth/credentials/application.entity.js';
import { SCOPES, type Scope } from '../../../src/auth/credentials/scopes.js';
import { world } from '../../support/app.js';
import { send, type Answer, type Json } from '../../support/http.js';
import { application, CALLBACK, person, Visitor } from './visitor.js';

/** An application as a client of OAuth 2.0. */
export interface OAuth2App {
  id: string;
  clientId: string;
  clientSecret?: string;
}

export async function oauth2App(
  type: ClientType = 'public',
  given: Partial<NewApplication> = {},
  scopes: readonly Scope[] = SCOPES,
): Promise<OAuth2App> {
  const { id } = await application(given);
  const identity = await world().get(ApplicationsService).setClient(id, type, scopes);
  return { id, ...identity! };
}

export const newVerifier = () => randomBytes(32).toString('base64url');
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** The page has two. */
export const AUTHORIZE_PATHS = ['/i/oauth2/authorize', '/2/oauth2/authorize'];

export const ALL = 'ads.read ads.write media.write offline.access users.read';

/** The query of a request for approval; undefined parameters are left out. */
export function authorizeQuery(
  app: OAuth2App,
  verifier: string,
  rest: Record<string, string | undefined> = {},
): string {
  const query = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: CALLBACK,
    scope: ALL,
    state: 'a state',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...rest,
  };
  const given = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined);
  return new URLSearchParams(given).toString();
}

/** Where the browser was sent: the callback and its parameters. */
export function outcomeOf(visitor: Visitor): Record<string, string> & { to: string } {
  const url = new URL(visitor.location);
  return { ...Object.fromEntries(url.searchParams), to: `${url.protocol}//${url.host}${url.pathname}` };
}

let addresses = 0;

/** A visitor who is signed in as somebody new, from an address of their own: sign-ins are counted by address. */
export async function signedIn() {
  const user = await person();
  const address = `10.2.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`;
  const visitor = await new Visitor({ 'x-forwarded-for': address }).signIn(user.username);
  return { user, visitor };
}

/** Opens the page and answers it. */
export async function decide(
  visitor: Visitor,
  app: OAuth2App,
  verifier: string,
  rest: Record<string, string | undefined> = {},
  decision = 'approve',
): Promise<Record<string, string> & { to: string }> {
  const path = `/i/oauth2/authorize?${authorizeQuery(app, verifier, rest)}`;
  await visitor.get(path);
  await visitor.post(path, { csrf: visitor.csrf, decision });
  return outcomeOf(visitor);
}

/** A POST to `/2/oauth2/...` as the client: with Basic if it has a secret, else with `client_id`. */
export function oauth2Post(
  path: string,
  app: OAuth2App,
  form: Record<string, string | undefined>,
  origin = world().url,
): Promise<Answer> {
  const basic = app.clientSecret && Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
  const fields = { ...(!basic && { client_id: app.clientId }), ...form };
  const given = Object.entries(fields).filter((each): each is [string, string] => each[1] !== undefined);
  return send(origin, path, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(basic && { authorization: `Basic ${basic}` }),
    },
    body: new URLSearchParams(given).toString(),
  });
}

export const exchange = (
  app: OAuth2App,
  code: string,
  verifier: string,
  rest: Record<string, string | undefined> = {},
) =>
  oauth2Post('/2/oauth2/token', app, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
    ...rest,
  });

export const refresh = (app: OAuth2App, token: string, rest: Record<string, string | undefined> = {}) =>
  oauth2Post('/2/oauth2/token', app, { grant_type: 'refresh_token', refresh_token: token, ...rest });

/** A whole sign-in: the tokens of a new user, or of the visitor. */
export async function connect(app: OAuth2App, scope = ALL, given?: Awaited<ReturnType<typeof signedIn>>) {
  const { visitor, user } = given ?? (await signedIn());
  const verifier = newVerifier();
  const { code } = await decide(visitor, app, verifier, { scope });
  const answer = await exchange(app, code, verifier);
  return { visitor, user, code, verifier, answer, tokens: answer.body as Record<string, string> };
}

/** Calls the service with a bearer token. */
export function asBearer(
  token: string,
  method: string,
  path: string,
  { json, form, headers = {} }: { json?: Json; form?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json);
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  return send(world().url, path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body }),
  });
}
