import { createHmac, randomBytes } from 'node:crypto';
import type { Credentials } from './api.js';
import { world } from './app.js';

export type Pair = [name: string, value: string];

/** RFC 5849 once more, written out for the cases that no library makes; it shares nothing with the service's own. */
export const escape = (text: string): string =>
  [...Buffer.from(text, 'utf8')]
    .map((byte) =>
      /[A-Za-z0-9\-._~]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

/** The signature over these parameters, already decoded, of a request to this URL without its query. */
export function signature(
  method: string,
  url: string,
  pairs: Pair[],
  { consumer, token }: { consumer: { secret: string }; token: { secret: string } },
): string {
  const list = pairs
    .map(([name, value]): Pair => [escape(name), escape(value)])
    .sort(([a, b], [c, d]) => (a < c ? -1 : a > c ? 1 : b < d ? -1 : b > d ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHmac('sha1', `${escape(consumer.secret)}&${escape(token.secret)}`)
    .update([method, escape(url), escape(list)].join('&'))
    .digest('base64');
}

/** The protocol parameters of a request, without its signature. */
export const protocol = ({ consumer, token }: Credentials, changes: Record<string, string | undefined> = {}): Pair[] =>
  Object.entries({
    oauth_consumer_key: consumer.key,
    oauth_nonce: randomBytes(12).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(world().clock.seconds()),
    oauth_token: token.key,
    oauth_version: '1.0',
    ...changes,
  }).filter((pair): pair is Pair => pair[1] !== undefined);

export const quoted = ([name, value]: Pair): string => `${escape(name)}="${escape(value)}"`;
export const header = (pairs: Pair[], separator = ', '): string => `OAuth ${pairs.map(quoted).join(separator)}`;
export const query = (pairs: Pair[]): string =>
  pairs.map(([name, value]) => `${escape(name)}=${escape(value)}`).join('&');
