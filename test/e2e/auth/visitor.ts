import { createHmac } from 'node:crypto';
import OAuth1a from 'oauth-1.0a';
import oauth from 'oauth';
import { ApplicationsService, type NewApplication } from '../../../src/auth/credentials/applications.service.js';
import type { KeyAndSecret } from '../../../src/auth/credentials/tokens.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import { world } from '../../support/app.js';
import { fresh } from '../../support/given/fresh.js';
import { send, type Answer } from '../../support/http.js';

export const PASSWORD = 'correct horse battery staple';
export const CALLBACK = 'https://client.example/back';

/** A user who can sign in. */
export const person = (password = PASSWORD) =>
  world().get(UsersService).create(fresh('person'), { name: 'A Person', password });

/** An application as a flow needs it, with its owner. */
export async function application(given: Partial<NewApplication> = {}) {
  const users = world().get(UsersService);
  const applications = world().get(ApplicationsService);
  const owner = given.ownerId ?? (await users.create(fresh('owner'))).id;
  const { application: made, consumer } = await applications.create({
    name: 'A Client',
    ownerId: owner,
    callbacks: [CALLBACK],
    ...given,
  });
  return { id: made.id, ownerId: owner, consumer };
}

export interface Signature {
  consumer: KeyAndSecret;
  token?: KeyAndSecret;
  /** Further parameters of the header. */
  oauth?: Record<string, string>;
  query?: Record<string, string>;
  form?: Record<string, string>;
  timestamp?: number;
  nonce?: string;
  headers?: Record<string, string>;
}

/** Where a request goes: what says who forwarded it is said to an application itself, as a balancer would. */
const originFor = (headers: Record<string, string>) =>
  Object.keys(headers).some((name) => name.startsWith('x-forwarded-')) ? world().direct : world().url;

/** A signed POST, by oauth-1.0a. */
export function signedPost(path: string, given: Signature): Promise<Answer> {
  const { target, ...wire } = preparePost(path, given);
  return send(originFor(given.headers ?? {}), target, wire);
}

export function preparePost(path: string, given: Signature) {
  const { consumer, token, oauth: extra = {}, query = {}, form, timestamp, nonce, headers = {} } = given;
  const client = new OAuth1a({
    consumer,
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  client.getTimeStamp = () => timestamp ?? world().clock.seconds();
  if (nonce !== undefined) client.getNonce = () => nonce;
  const text = new URLSearchParams(query).toString();
  const target = text ? `${path}?${text}` : path;
  const data = { ...extra, ...form };
  const signed = client.authorize({ method: 'POST', url: `${originFor(headers)}${target}`, data }, token);
  const own = Object.fromEntries(
    Object.entries(signed).filter(([name]) => name.startsWith('oauth_') && !(form && name in form)),
  );
  // The library signs further parameters, and leaves them out of the header.
  const others = Object.entries(extra)
    .filter(([name]) => !name.startsWith('oauth_'))
    .map(([name, value]) => `, ${encodeURIComponent(name)}="${encodeURIComponent(value)}"`);
  const body = form && new URLSearchParams(form).toString();
  return {
    target,
    method: 'POST',
    headers: {
      authorization: client.toHeader(own as unknown as OAuth1a.Authorization).Authorization + others.join(''),
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    body,
  };
}

/** A token answer, read. */
export const formOf = (answer: Answer): Record<string, string> => Object.fromEntries(new URLSearchParams(answer.text));

export const pairOf = (answer: Answer): KeyAndSecret => {
  const { oauth_token: key, oauth_token_secret: secret } = formOf(answer);
  return { key, secret };
};

export const requestToken = (consumer: KeyAndSecret, callback = 'oob', rest: Partial<Signature> = {}) =>
  signedPost('/oauth/request_token', { consumer, oauth: { oauth_callback: callback }, ...rest });

export const accessToken = (
  consumer: KeyAndSecret,
  token: KeyAndSecret,
  verifier: string,
  rest: Partial<Signature> = {},
) => signedPost('/oauth/access_token', { consumer, token, oauth: { oauth_verifier: verifier }, ...rest });

/** The other library, over plain HTTP, with callbacks made promises. */
export function library(consumer: KeyAndSecret, callback: string) {
  const { url } = world();
  const client = new oauth.OAuth(
    `${url}/oauth/request_token`,
    `${url}/oauth/access_token`,
    consumer.key,
    consumer.secret,
    '1.0',
    callback,
    'HMAC-SHA1',
  );
  return {
    requestToken: () =>
      new Promise<KeyAndSecret & { confirmed: string }>((resolve, reject) =>
        client.getOAuthRequestToken((error, key, secret, rest: { oauth_callback_confirmed: string }) =>
          error
            ? reject(new Error(JSON.stringify(error)))
            : resolve({ key, secret, confirmed: rest.oauth_callback_confirmed }),
        ),
      ),
    accessToken: (token: KeyAndSecret, verifier: string) =>
      new Promise<KeyAndSecret & { userId: string; screenName: string }>((resolve, reject) =>
        client.getOAuthAccessToken(
          token.key,
          token.secret,
          verifier,
          (error, key, secret, rest: Record<string, string>) =>
            error
              ? reject(new Error(JSON.stringify(error)))
              : resolve({ key, secret, userId: rest.user_id, screenName: rest.screen_name }),
        ),
      ),
  };
}

/** A browser without a screen: keeps its cookie, follows nothing by itself. */
export class Visitor {
  cookie?: string;
  page: Answer = { status: 0, headers: {}, body: undefined, text: '' };

  /** `origin` is another service than that of the tests. */
  constructor(
    private readonly headers: Record<string, string> = {},
    private readonly origin?: string,
  ) {}

  get csrf(): string {
    return /name="csrf" value="([^"]*)"/.exec(this.page.text)?.[1] ?? '';
  }

  get heading(): string {
    return (/<h1>(.*?)<\/h1>/s.exec(this.page.text)?.[1] ?? '').trim();
  }

  get pin(): string {
    return /id="pin">(\d+)</.exec(this.page.text)?.[1] ?? '';
  }

  get location(): string {
    return this.page.headers.location ?? '';
  }

  async get(path: string): Promise<this> {
    return this.keep(await send(this.origin ?? originFor(this.headers), path, { method: 'GET', headers: this.own() }));
  }

  /** Sends a form; pairs may repeat a field. */
  async post(path: string, form: Record<string, string> | [string, string][]): Promise<this> {
    const headers = { ...this.own(), 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(form).toString();
    return this.keep(await send(this.origin ?? originFor(this.headers), path, { method: 'POST', headers, body }));
  }

  /** Sends a form with a file as browsers do: its fields, then the file, unless there is none. */
  async upload(
    path: string,
    fields: Record<string, string>,
    file?: { field: string; name: string; text: string | Buffer },
  ): Promise<this> {
    const boundary = 'form-boundary-of-a-browser';
    const parts = Object.entries(fields).map(
      ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const begin =
      file &&
      `--${boundary}\r\nContent-Disposition: form-data; name="${file.field}"; filename="${file.name}"\r\n` +
        'Content-Type: application/json\r\n\r\n';
    const content = file ? [Buffer.from(begin!), Buffer.from(file.text), Buffer.from('\r\n')] : [];
    const body = Buffer.concat([Buffer.from(parts.join('')), ...content, Buffer.from(`--${boundary}--\r\n`)]);
    const headers = { ...this.own(), 'content-type': `multipart/form-data; boundary=${boundary}` };
    return this.keep(await send(this.origin ?? originFor(this.headers), path, { method: 'POST', headers, body }));
  }

  async signIn(username: string, password = PASSWORD): Promise<this> {
    await this.get('/oauth/sign_in');
    return this.post('/oauth/sign_in', { csrf: this.csrf, username, password });
  }

  /** Opens the page of a flow and answers it; whoever is signed in is asked, or passed. */
  async decide(token: string, decision: 'approve' | 'cancel' = 'approve', way = 'authorize'): Promise<this> {
    await this.get(`/oauth/${way}?oauth_token=${token}`);
    return this.post(`/oauth/${way}`, { csrf: this.csrf, oauth_token: token, decision });
  }

  private own() {
    return { ...this.headers, ...(this.cookie && { cookie: this.cookie }) };
  }

  private keep(page: Answer): this {
    this.page = page;
    const set = page.headers['set-cookie']?.at(-1);
    if (set) this.cookie = set.split(';')[0];
    return this;
  }
}

/** A visitor who is signed in as somebody new. */
export async function signedIn() {
  const user = await person();
  const visitor = await new Visitor().signIn(user.username);
  return { user, visitor };
}

/** A whole flow in PIN mode. */
export async function flow(consumer: KeyAndSecret, visitor: Visitor, rest: Partial<Signature> = {}): Promise<Answer> {
  const token = pairOf(await requestToken(consumer, 'oob', rest));
  await visitor.decide(token.key);
  return accessToken(consumer, token, visitor.pin);
}
