import { createHmac } from 'node:crypto';
import OAuth1a from 'oauth-1.0a';
import type { KeyAndSecret } from '../../src/auth/credentials/tokens.js';
import { world } from './app.js';
import { send, type Answer, type Json } from './http.js';

export type { Answer, Json } from './http.js';

/** What somebody signs with. */
export interface Credentials {
  consumer: KeyAndSecret;
  token: KeyAndSecret;
}

type Value = string | number | boolean | null | undefined;
/** An array becomes a repeated key; null an empty value; undefined is not sent. */
export type Params = Record<string, Value | Value[]>;

export interface Sending {
  query?: Params;
  form?: Params;
  json?: Json;
  headers?: Record<string, string>;
  /** Which of those that serve is asked, with no balancer before it. */
  replica?: number;
}

/** Calls the service as somebody: signed with a library that shares no code with it. */
export class Api {
  constructor(
    readonly credentials: Credentials,
    /** What stands before every path: `/sandbox` for what happens there. */
    private readonly prefix = '',
    private readonly passesBalancer = true,
  ) {}

  get = (path: string, sending?: Sending) => this.call('GET', path, sending);
  post = (path: string, sending?: Sending) => this.call('POST', path, sending);
  put = (path: string, sending?: Sending) => this.call('PUT', path, sending);
  delete = (path: string, sending?: Sending) => this.call('DELETE', path, sending);

  /** The same caller in the other environment. */
  in(environment: 'production' | 'sandbox'): Api {
    return new Api(this.credentials, environment === 'sandbox' ? '/sandbox' : '');
  }

  /** The same caller before an application itself, for what a balancer would refuse of its own accord. */
  directly(): Api {
    return new Api(this.credentials, this.prefix, false);
  }

  /** What `call` would send: to be sent later, more than once, or changed. */
  prepare(method: string, path: string, { query = {}, form, json, headers = {} }: Sending = {}): Prepared {
    const text = pairsOf(query);
    const target = `${this.prefix}${path}${text && (path.includes('?') ? '&' : '?')}${text}`;
    const url = `${world().url}${target}`;
    const body = form ? pairsOf(form) : json === undefined ? undefined : JSON.stringify(json);
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    return {
      method,
      target,
      headers: {
        authorization: authorization(this.credentials, method, url, form),
        ...(body !== undefined && { 'content-type': type }),
        ...headers,
      },
      body,
    };
  }

  call(method: string, path: string, sending?: Sending): Promise<Answer> {
    const { target, ...wire } = this.prepare(method, path, sending);
    const replica = world().detour(sending?.replica);
    if (this.passesBalancer && replica === undefined) return send(world().url, target, wire);
    return send(replica === undefined ? world().direct : world().at(replica), target, {
      ...wire,
      headers: { ...wire.headers, host: new URL(world().url).host },
    });
  }
}

export interface Prepared {
  method: string;
  target: string;
  headers: Record<string, string>;
  body?: string;
}

/** Sends what was prepared, as it is. */
export const sendPrepared = ({ target, ...wire }: Prepared): Promise<Answer> => send(world().url, target, wire);

/** The value of an Authorization header, by oauth-1.0a. */
export function authorization(
  { consumer, token }: Credentials,
  method: string,
  url: string,
  form: Params = {},
  { timestamp = world().clock.seconds(), nonce }: { timestamp?: number; nonce?: string } = {},
): string {
  const client = new OAuth1a({
    consumer,
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  client.getTimeStamp = () => timestamp;
  if (nonce !== undefined) client.getNonce = () => nonce;
  // A name that is repeated in the query is given to the library as data: of the query it would keep only one.
  const [bare, query = ''] = url.split('?');
  const data: Record<string, string | string[]> = {};
  for (const [name, value] of [...new URLSearchParams(query), ...listed(form)]) {
    const known = data[name];
    data[name] = known === undefined ? value : [...[known].flat(), value];
  }
  const { oauth_consumer_key, oauth_nonce, oauth_signature_method, oauth_timestamp, oauth_version, ...rest } =
    client.authorize({ method, url: bare, data }, token) as OAuth1a.Authorization & { oauth_token: string };
  return client.toHeader({
    oauth_consumer_key,
    oauth_nonce,
    oauth_signature_method,
    oauth_timestamp,
    oauth_version,
    oauth_signature: rest.oauth_signature,
    oauth_token: rest.oauth_token,
  }).Authorization;
}

/** Without any credentials. */
export const anonymously = (method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(world().url, path, { method, headers });

function listed(params: Params): [string, string][] {
  return Object.entries(params).flatMap(([name, value]) =>
    [value].flat().flatMap((each): [string, string][] => (each === undefined ? [] : [[name, String(each ?? '')]])),
  );
}

const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** The text of a query or a form; commas stay as people write them. */
function pairsOf(params: Params): string {
  return listed(params)
    .map(([name, value]) => `${escaped(name)}=${escaped(value).replaceAll('%2C', ',')}`)
    .join('&');
}
