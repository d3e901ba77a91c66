import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DemoCredentials } from './credentials-file.js';

type Secrets = Pick<DemoCredentials, 'consumer_secret' | 'access_token_secret'>;

/**
 * What opens the demo's keys to the page of the API reference. It is derived from the secrets that it opens: whoever may read
 * their file can make it, a bookmark lives as long as they do, and there is nothing more to keep.
 */
export const docsKeyOf = ({ consumer_secret, access_token_secret }: Secrets): string =>
  createHmac('sha256', `${consumer_secret}&${access_token_secret}`).update('marquee docs key').digest('base64url');

/** Whether somebody showed the key; takes as long whatever they showed. */
export function isDocsKey(given: string, credentials: Secrets): boolean {
  const [one, other] = [given, docsKeyOf(credentials)].map((text) =>
    createHmac('sha256', 'compare').update(text).digest(),
  );
  return timingSafeEqual(one, other);
}

/** Where the page is opened with the key: behind the `#`, which no browser sends and no server logs. */
export const docsLink = (baseUrl: string, credentials: Secrets): string =>
  `${baseUrl}/docs#key=${docsKeyOf(credentials)}`;
