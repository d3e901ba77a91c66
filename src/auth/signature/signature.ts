import { createHmac, timingSafeEqual } from 'node:crypto';
import { formatAuthorization, ProtocolViolation } from '../headers/authorization-header.js';
import { pairsOf } from '../../common/http/bodies/form-encoding.js';
import { charactersIn, percentEncode, percentEncodeTwice, sortedAndEncodedTwice } from '../headers/percent.js';

export type Pair = [name: string, value: string];

/** The protocol parameters of a request, from the header, the query or the form. */
export type OAuthParams = { [name in `oauth_${string}`]?: string };

/** The protocol parameters and all signed parameters of a request. */
export interface CollectedParameters {
  oauth: OAuthParams;
  pairs: Pair[];
}

/**
 * RFC 5849 3.4.1.3.1 and 3.5: protocol parameters are in the header, the query or the form. Equal duplicates count
 * once, which one popular client relies on; different ones make the request ambiguous.
 */
export function collectParameters(
  header: Pair[],
  query: Pair[],
  form: Pair[],
): CollectedParameters | ProtocolViolation {
  const oauth: OAuthParams = {};
  const pairs: Pair[] = [];
  for (const place of [header, query, form]) {
    for (const pair of place) {
      const [name, value] = pair;
      if (isProtocol(name)) {
        const known = oauth[name];
        if (known === value) continue;
        if (known !== undefined)
          return new ProtocolViolation('repeated', `${name} is sent more than once, with different values`);
        oauth[name] = value;
        if (name === 'oauth_signature') continue;
      }
      pairs.push(pair);
    }
  }
  return { oauth, pairs };
}

/** The path of a request target as it was sent, which may be a whole URL (RFC 9112 3.2.2). */
export function rawPathOf(target: string): string {
  if (target.startsWith('/')) {
    const end = target.search(/[?#]/);
    return end < 0 ? target : target.slice(0, end);
  }
  const path = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(target)![1];
  return path === '' ? '/' : path;
}

/** RFC 5849 3.4.1.2: lower-case scheme and host, no default port, the path untouched; `target` may carry a query. */
export function baseStringUri(scheme: string, host: string, target: string): string {
  const protocol = scheme.toLowerCase();
  const defaultPort = protocol === 'https' ? ':443' : ':80';
  const name = host.toLowerCase();
  return `${protocol}://${name.endsWith(defaultPort) ? name.slice(0, -defaultPort.length) : name}${rawPathOf(target)}`;
}

/** RFC 5849 3.4.1.1. */
export const baseString = (method: string, uri: string, pairs: Pair[]): string =>
  baseStringOf(method, uri, normalizeParameters(pairs));

/** The same for parameters that are already normalized (`normalizeParameters`). */
export const baseStringOf = (method: string, uri: string, parameters: string): string =>
  `${method.toUpperCase()}&${percentEncode(uri)}&${parameters}`;

/**
 * The parameters in the form of a base string: sorted and encoded (RFC 5849 3.4.1.3.2), and encoded again as a whole.
 */
export function normalizeParameters(pairs: Pair[]): string {
  if (charactersIn(pairs) > LARGE) return sortedAndEncodedTwice(pairs);
  // A space sorts below every character of an encoded name, `=` does not: "a" must come before "a1" (3.4.1.3.2).
  // Another encoding does not change the order: it adds the same to every escape.
  const sorted = pairs.map(([name, value]) => `${percentEncodeTwice(name)} ${percentEncodeTwice(value)}`).sort();
  return sorted.join('%26').replaceAll(' ', '%3D');
}

/** Above this total length one buffer for everything is faster than one for each text. */
const LARGE = 65_536;

/** HMAC-SHA1 in base64 (RFC 5849 3.4.2); without a token the secret is empty. A base string is ASCII. */
export function signatureOf(base: string, consumerSecret: string, tokenSecret = ''): string {
  const key = `${percentEncode(consumerSecret)}&${percentEncode(tokenSecret)}`;
  return createHmac('sha1', key).update(base, 'latin1').digest('base64');
}

/** Constant-time comparison of the texts: several base64 texts decode to the same bytes, and only one is accepted. */
export function isSignedBy(signature: string, base: string, consumerSecret: string, tokenSecret = ''): boolean {
  const expected = Buffer.from(signatureOf(base, consumerSecret, tokenSecret));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export interface Signing {
  method: string;
  /** Includes the query, which is signed. */
  url: string;
  /** Parameters of a form body. A JSON body is never signed. */
  params?: Pair[] | Record<string, string | string[]>;
  consumer: { key: string; secret: string };
  token?: { key: string; secret: string };
  /** Seconds since the epoch. */
  timestamp: number;
  nonce: string;
  /** Further header parameters, such as `oauth_callback`. */
  extra?: Record<string, string>;
}

/** The Authorization header of a request, as a client builds it. */
export const sign = (signing: Signing): string => explainedSignature(signing).header;

/** The same, with the base string that was signed. */
export function explainedSignature({
  method,
  url,
  params = [],
  consumer,
  token,
  timestamp,
  nonce,
  extra = {},
}: Signing): {
  base: string;
  header: string;
} {
  const [, scheme, host, path, query = ''] = /^([a-z]+):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  if (host === undefined) throw new TypeError(`"${url}" is not an absolute URL`);
  const header: Pair[] = [
    ['oauth_consumer_key', consumer.key],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(timestamp)],
    ...(token ? [['oauth_token', token.key] satisfies Pair] : []),
    ['oauth_version', '1.0'],
    ...Object.entries(extra),
  ];
  const signed = [...header, ...pairsOf(query), ...pairsIn(params)];
  const base = baseString(method, baseStringUri(scheme, host, path), signed);
  const signature = signatureOf(base, consumer.secret, token?.secret);
  return { base, header: formatAuthorization([...header, ['oauth_signature', signature]]) };
}

const isProtocol = (name: string): name is `oauth_${string}` => name.startsWith('oauth_');

function pairsIn(params: Pair[] | Record<string, string | string[]>): Pair[] {
  if (Array.isArray(params)) return params;
  return Object.entries(params).flatMap(([name, value]) => [value].flat().map((each): Pair => [name, each]));
}
