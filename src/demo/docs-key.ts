import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DemoCredentials } from './credentials-file.js';

type Secrets = Pick<DemoCredentials, 'consumer_secret' | 'access_token_secret'>;

/**
 * The key that lets the API reference page read the demo's credentials. It is derived from these secrets: anyone who
 * may read their file can derive it, a bookmark stays valid as long as they do, and nothing else needs to be stored.
 */
export const docsKeyOf = ({ consumer_secret, access_token_secret }: Secrets): string =>
  createHmac('sha256', `${consumer_secret}&${access_token_secret}`).update('marquee docs key').digest('base64url');

/** Compares a key in constant time. */
export function isDocsKey(given: string, credentials: Secrets): boolean {
  const [one, other] = [given, docsKeyOf(credentials)].map((text) =>
    createHmac('sha256', 'compare').update(text).digest(),
  );
  return timingSafeEqual(one, other);
}

/** The URL of the page with the key after the `#`. No browser sends that part, and no server logs it. */
export const docsLink = (baseUrl: string, credentials: Secrets): string =>
  `${baseUrl}/docs#key=${docsKeyOf(credentials)}`;
