import { createHmac, randomBytes } from 'node:crypto';

/** What signs requests: an application, and the user for whom it acts. */
export interface Credentials {
  consumerKey: string;
  consumerSecret: string;
  accessToken: string;
  accessTokenSecret: string;
}

/** @internal */
export type Pair = [name: string, value: string];

/** @internal Percent-encodes as RFC 3986, which OAuth requires. Half a surrogate pair becomes U+FFFD, as in URLs. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** @internal The text of a query or of a form. */
export const encodedPairs = (pairs: Pair[]): string =>
  pairs.map((pair) => pair.map(percentEncoded).join('=')).join('&');

/** @internal */
export interface Signed {
  method: string;
  url: URL;
  /** The parameters of a form body. */
  form: Pair[];
  credentials: Credentials;
  /** The time of the service, in milliseconds. */
  now: number;
}

/** @internal What gives requests their `Authorization` header, if they have one. */
export interface Authorizer {
  header(request: Omit<Signed, 'credentials'>): string | undefined | Promise<string | undefined>;
  /** Renews what a header was made of, which the service rejected; returns whether another attempt may succeed. */
  renewed?(rejected?: string): Promise<boolean>;
}

/** @internal The `Authorization` header of one attempt (OAuth 1.0a, HMAC-SHA1). A service accepts it once. */
export function authorization({ method, url, form, credentials, now }: Signed): string {
  const oauth: Pair[] = [
    ['oauth_consumer_key', credentials.consumerKey],
    ['oauth_nonce', randomBytes(16).toString('hex')],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', `${Math.floor(now / 1_000)}`],
    ['oauth_token', credentials.accessToken],
    ['oauth_version', '1.0'],
  ];
  const secrets = [credentials.consumerSecret, credentials.accessTokenSecret];
  const signature = createHmac('sha1', secrets.map(percentEncoded).join('&'))
    .update(baseString(method, url, [...oauth, ...form]))
    .digest('base64');
  const fields: Pair[] = [...oauth, ['oauth_signature', signature]];
  return `OAuth ${fields.map(([name, value]) => `${name}="${percentEncoded(value)}"`).join(', ')}`;
}

/** @internal What a signature is computed over; the parameters of the URL are added to the others. */
export function baseString(method: string, url: URL, others: Pair[]): string {
  const pairs = [...url.searchParams, ...others].map((pair) => pair.map(percentEncoded) as Pair);
  pairs.sort(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  const parameters = pairs.map((pair) => pair.join('=')).join('&');
  return [method, url.origin + url.pathname, parameters].map(percentEncoded).join('&');
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
