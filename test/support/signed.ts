import { createHmac } from 'node:crypto';
import OAuth1a from 'oauth-1.0a';

/** A key with its secret: of an application, or a token. */
export interface Pair {
  key: string;
  secret: string;
}

/** What is signed of a request. */
export interface SignedParts {
  method: string;
  /** The URL with its query. */
  url: string;
  form: Record<string, string>;
}

/** The Authorization header of a request to any service, by oauth-1.0a. `Api` is for the service of the spec file. */
export function signed({ method, url, form }: SignedParts, consumer: Pair, token?: Pair): string {
  const client = new OAuth1a({
    consumer,
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  const pairs = Object.entries(client.authorize({ method, url, data: form }, token)).filter(
    ([name]) => name.startsWith('oauth_') && !(name in form),
  );
  return client.toHeader(Object.fromEntries(pairs) as unknown as OAuth1a.Authorization).Authorization;
}
