import { randomBytes } from 'node:crypto';
import { percentEncode } from '../../auth/headers/percent.js';
import { type Pair, sign } from '../../auth/signature/signature.js';
import { Clock } from '../../common/time/clock.js';
import { isLoopbackHost } from '../../config/config.js';
import { familyOf } from '../../common/http/urls/public-urls.js';
import { trimTrailing } from '../../common/text/patterns.js';
import { Misuse, CommandRefusal } from '../refusal.js';
import type { Credentials } from '../credentials/profiles.js';
import type { BaseUrls } from '../credentials/credentials.js';

export const REQUEST_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof REQUEST_METHODS)[number];

/** The methods whose parameters are a form body. */
const WITH_FORM: readonly Method[] = ['POST', 'PUT', 'PATCH'];
/** The methods that can have a JSON body. */
export const WITH_JSON: readonly Method[] = [...WITH_FORM, 'DELETE'];

/** A request as it was given on the command line. */
export interface RequestSpec {
  method: Method;
  /** A path or a URL, with optional placeholders and query. */
  path: string;
  params: Pair[];
  /** The text of a JSON body. */
  json?: string;
  headers: Pair[];
  sandbox: boolean;
  /** True if path and parameters stay as they are; by default placeholders are filled in. */
  literal?: boolean;
}

/** A complete request without its signature. */
export interface Draft {
  method: Method;
  url: string;
  headers: Pair[];
  body?: string;
  /** The signed parameters of a form body. */
  form: Pair[];
}

/** Builds the request: its URL, and its parameters in the query or body. Lists are repeated names, or one value with commas. */
export function draft(spec: RequestSpec, credentials: Credentials, bases: BaseUrls): Draft {
  const { method, json, literal } = spec;
  if (json !== undefined && !WITH_JSON.includes(method))
    throw new Misuse(`--json is not allowed with ${method}; use ${WITH_JSON.join(', ')}`);
  const { url, sandbox } = locate(spec, credentials, bases);
  const params = literal
    ? spec.params
    : spec.params.map(([name, value]): Pair => [name, filledValue(value, credentials, sandbox)]);
  const isForm = WITH_FORM.includes(method) && json === undefined;
  // each change of the search parses all of it
  if (!isForm && params.length > 0) url.search += `${url.search ? '&' : '?'}${params.map(encoded).join('&')}`;
  const form = isForm ? params : [];
  return {
    method,
    url: url.href,
    form,
    headers: [...contentType(json, form), ...spec.headers],
    ...(json !== undefined && { body: json }),
    ...(form.length > 0 && { body: form.map(encoded).join('&') }),
  };
}

const encoded = ([name, value]: Pair) => `${percentEncode(name)}=${percentEncode(value)}`;

function contentType(json: string | undefined, form: Pair[]): Pair[] {
  if (json !== undefined) return [['content-type', 'application/json']];
  return form.length > 0 ? [['content-type', 'application/x-www-form-urlencoded']] : [];
}

/** A URL is used as it is. The prefix of a path decides which of our three hosts serves it. */
function locate(
  { path: asGiven, sandbox: wanted, literal }: RequestSpec,
  credentials: Credentials,
  bases: BaseUrls,
): { url: URL; sandbox: boolean } {
  const path = withScheme(asGiven, bases);
  if (/^https?:\/\//i.test(path)) {
    const sandbox = wanted || `${path}/`.startsWith(`${bases.sandbox()}/`);
    const filled = literal ? path : fill(path, credentials, sandbox);
    if (!URL.canParse(filled)) throw new Misuse(`${path} is neither a path nor a URL`);
    return { url: new URL(filled), sandbox };
  }
  const given = path.startsWith('/') ? path : `/${path}`;
  const below = /^\/sandbox(?=[/?]|$)/.exec(given);
  const sandbox = wanted || below !== null;
  const unfilled = below ? given.slice(below[0].length) : given;
  const filled = literal ? unfilled : fill(unfilled, credentials, sandbox);
  const family = familyOf(filled.split('?', 1)[0]);
  const base = sandbox ? bases.sandbox() : family === 'ads' ? bases.ads() : bases.auth();
  return { url: new URL(`${trimTrailing(base, '/')}${filled}`), sandbox };
}

/** A host with a port, or one that no path begins with: `localhost:3000/12`, `api.example/12`, not `12/accounts` or `1.1/oauth`. */
const HOST =
  /^(?:(\[[0-9a-f:.]+\]|[a-z0-9.-]+):\d{1,5}(?=[/?]|$)|(\[[0-9a-f:.]+\]|localhost|(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*|\d+(?:\.\d+){3})(?=\/))/i;

/** Adds a missing scheme: that of the public URL with this host, else https, or http on loopback. */
function withScheme(path: string, bases: BaseUrls): string {
  const match = HOST.exec(path);
  if (!match) return path;
  const [host, withPort, alone] = match;
  const known = [bases.auth(), bases.ads(), bases.sandbox()].find((base) => new URL(base).host === host.toLowerCase());
  const scheme = known ? new URL(known).protocol : isLoopbackHost(withPort ?? alone) ? 'http:' : 'https:';
  return `${scheme}//${path}`;
}

/** Placeholders: `{name}` anywhere, `:name` as a segment of the path. */
const PLACEHOLDER = /\{([a-z][a-z0-9_]*)\}|(?<=\/):([a-z][a-z0-9_]*)(?=[/?]|$)/gi;

function fill(path: string, credentials: Credentials, sandbox: boolean): string {
  return path.replace(PLACEHOLDER, (_, braced?: string, colon?: string) => {
    const name = (braced ?? colon)!.toLowerCase();
    const value = valueOf(name, credentials, sandbox);
    if (value === undefined) throw new CommandRefusal(`the credentials have no ${name} to fill in`);
    return percentEncode(value);
  });
}

/** Replaces a value that is only a placeholder. */
function filledValue(value: string, credentials: Credentials, sandbox: boolean): string {
  const name = /^\{([a-z][a-z0-9_]*)\}$/i.exec(value)?.[1].toLowerCase();
  if (name === undefined) return value;
  const filled = valueOf(name, credentials, sandbox);
  if (filled !== undefined) return filled;
  throw new CommandRefusal(`the credentials have no ${name} to fill in; --literal sends {${name}} as it is`);
}

/** In the sandbox `account_id` is that of the sandbox account, if there is one. */
const valueOf = (name: string, credentials: Credentials, sandbox: boolean): string | undefined =>
  !NOT_FOR_URLS.test(name) ? ((sandbox ? credentials[`sandbox_${name}`] : undefined) ?? credentials[name]) : undefined;

/** Secrets, which never belong in a URL. */
const NOT_FOR_URLS = /secret|password/;

/** Keys, timestamp and nonce of a signature. */
interface Signer {
  consumer: { key: string; secret: string };
  token?: { key: string; secret: string };
  timestamp: number;
  nonce: string;
}

/** A timestamp and a fresh nonce. */
export const freshly = (): Pick<Signer, 'timestamp' | 'nonce'> => ({
  timestamp: new Clock().seconds(),
  nonce: randomBytes(16).toString('hex'),
});

/** The draft with its Authorization header, optionally with further OAuth parameters. */
export function signed(request: Draft, signer: Signer, extra: Record<string, string> = {}): Draft {
  const authorization = sign({ method: request.method, url: request.url, params: request.form, ...signer, extra });
  return { ...request, headers: [['authorization', authorization], ...request.headers] };
}

/** Splits `name=value` at the first equals sign. */
export function pairOf(given: string): Pair {
  const cut = given.indexOf('=');
  if (cut < 1) throw new Misuse(`"${given}" does not have the form name=value`);
  return [given.slice(0, cut), given.slice(cut + 1)];
}

/** `Name: value` */
export function headerOf(given: string): Pair {
  const match = /^([!#$%&'*+.^_`|~\w-]+):\s*(\S.*)?$/.exec(given);
  if (!match) throw new Misuse(`"${given}" does not have the form "Name: value"`);
  return [match[1].toLowerCase(), (match[2] ?? '').trimEnd()];
}

/** The request as it would be sent. */
export function wireText({ method, url, headers, body }: Draft): string {
  const { host, pathname, search } = new URL(url);
  const shown = headers.map(([name, value]) => `${name}: ${name === 'authorization' ? withoutSecret(value) : value}`);
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `host: ${host}`, ...shown];
  return `${lines.join('\n')}\n${body === undefined ? '' : `\n${body}\n`}`;
}

/** Hides bearer tokens and passwords. Signatures are shown, since they reveal no secret. */
const withoutSecret = (authorization: string) =>
  authorization.startsWith('OAuth ') ? authorization : authorization.replace(/(?<=\s).*/, '***');
