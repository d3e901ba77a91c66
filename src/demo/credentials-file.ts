import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, withoutSlash } from '../config/config.js';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The file of the demo's keys and secrets in the data directory. */
export const CREDENTIALS_FILE = 'demo-credentials.json';

/** The content of `demo-credentials.json`: everything needed to sign a first request. */
export interface DemoCredentials {
  base_url: string;
  ads_base_url: string;
  ads_sandbox_base_url: string;
  consumer_key: string;
  consumer_secret: string;
  /** The client id of OAuth 2.0, of a public client; absent in a store of an earlier release. */
  client_id?: string;
  access_token: string;
  access_token_secret: string;
  username: string;
  password: string;
  callback_url: string;
  user_id: string;
  account_id: string;
  second_account_id: string;
  foreign_account_id: string;
  sandbox_account_id: string;
  funding_instrument_id: string;
  media_key_image: string;
  media_key_video: string;
  /** Absent in a store of an earlier release, as are the other two. */
  product_catalog_id?: string;
  product_set_id?: string;
  scheduled_feed_id?: string;
  webhook_id: string;
  /**
   * The ids in the examples of the OpenAPI document, by purpose. Examples delete the `spare_` resources. An id for one
   * operation only has the operation id as a prefix (`createDoNotReachList.account_id`).
   */
  examples: Record<string, string>;
}

/** The demo's credentials in a data directory; undefined if they are missing or unreadable. */
export function readDemoCredentials(dataDir: string): DemoCredentials | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, CREDENTIALS_FILE), 'utf8')) as DemoCredentials;
  } catch {
    return undefined;
  }
}

/** Writes the file atomically, readable only by its owner. */
export function writeDemoCredentials(dataDir: string, credentials: DemoCredentials): void {
  const path = join(dataDir, CREDENTIALS_FILE);
  writeFileSync(`${path}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The page to which Swagger UI lets a sign-in by OAuth 2.0 return. */
export const DOCS_CALLBACK = '/docs/assets/swagger-ui/oauth2-redirect.html';
/** Where `marquee login --oauth2` listens, at any port. */
export const LOOPBACK_CALLBACK = 'http://127.0.0.1/callback';

/** The callback of the demo application: a page of the service itself. */
export const demoCallbackUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string =>
  `${withoutSlash(baseUrl)}/demo/callback`;

/** The file of the demo's scheduled feed. */
export const demoFeedUrl = ({ baseUrl }: Pick<Config, 'baseUrl'>): string =>
  `${withoutSlash(baseUrl)}/demo/products.csv`;

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

/** The page to which `marquee open` leads. */
export const openUrl = (baseUrl: string): string => `${baseUrl}/demo/open`;

/** The URL of the page with the key after the `#`. No browser sends that part, and no server logs it. */
export const docsLink = (baseUrl: string, credentials: Secrets): string =>
  `${baseUrl}/docs#key=${docsKeyOf(credentials)}`;
