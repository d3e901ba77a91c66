import type { components, paths } from '../api.js';
import { batch } from './batches.js';
import { callsOf } from './calls.js';
import { iterate, pages } from './paging.js';
import { send } from './sending.js';
import type { Credentials } from './signing.js';
import { bearer, signer, type OAuth2Credentials } from './tokens.js';
import type { BatchPath, MarqueeClient } from './types.js';
import { upload, type UploadOptions, type UploadSource } from './uploads.js';

export { MarqueeBatchError, type OperationOutcome } from './batches.js';
export { MarqueeConnectionError, MarqueeError, type Problem, type RateLimit } from './errors.js';
export type { Credentials } from './signing.js';
export type { OAuth2Credentials, TokenSet } from './tokens.js';
export type {
  BatchPath,
  DataOf,
  InitOf,
  ItemOf,
  ListPath,
  MarqueeClient,
  OperationOf,
  PathOf,
  ResultOf,
} from './types.js';
export type { Media, UploadOptions, UploadProgress, UploadSource } from './uploads.js';
export type { components, paths };

/** The types of the document by their names, such as `Schemas['CampaignView']`. */
export type Schemas = components['schemas'];

/** Keys that sign, or tokens of OAuth 2.0. */
export type MarqueeOptions = ServiceOptions & (Credentials | OAuth2Credentials);

export interface ServiceOptions {
  /** The service, such as `http://localhost:3000`. Uploads and the workbench are there. */
  baseUrl: string;
  /** Advertising endpoints. By default `baseUrl`. */
  adsBaseUrl?: string;
  /** Advertising endpoints of the sandbox. By default the path `/sandbox` of `adsBaseUrl`. */
  adsSandboxBaseUrl?: string;
  /** Calls advertising endpoints in the sandbox. */
  sandbox?: boolean;
  /** How often a request is repeated. By default 4. */
  retries?: number;
  /** How long an attempt may take in milliseconds. By default 60,000. */
  timeoutMs?: number;
  /** The longest wait before a repetition. If the service asks for more, the error is thrown. By default 60,000. */
  maxWaitMs?: number;
  /** Replaces the global `fetch`, for example to use a proxy. */
  fetch?: typeof fetch;
  /** Sent with each request. */
  headers?: Record<string, string>;
  /** The time in milliseconds that signatures have, for a service with another clock. By default `Date.now`. */
  now?: () => number;
}

/** Creates a client that sends requests for a user. */
export function createMarqueeClient(options: MarqueeOptions): MarqueeClient {
  const { sandbox = false, headers } = options;
  const baseUrl = withoutSlash(options.baseUrl);
  const productionUrl = withoutSlash(options.adsBaseUrl ?? baseUrl);
  const adsBaseUrl = sandbox ? (options.adsSandboxBaseUrl ?? `${productionUrl}/sandbox`) : productionUrl;
  const { retries = 4, timeoutMs = 60_000, maxWaitMs = 60_000, fetch = globalThis.fetch, now = Date.now } = options;
  const authorizer = 'tokens' in options ? bearer(options, { baseUrl, fetch, timeoutMs, now }) : signer(options);
  const sending = { authorizer, retries, timeoutMs, maxWaitMs, fetch, now };
  const calls = callsOf({ baseUrl, adsBaseUrl, headers }, (request) => send(request, sending));
  const client = {
    ...calls,
    pages: (path: string, init?: object) => pages(calls.GET, path, init),
    iterate: (path: string, init?: object) => iterate(calls.GET, path, init),
    batch: (path: BatchPath, operations: unknown[], init: object) => batch(calls.POST, path, operations, init),
    upload: (source: UploadSource, given?: UploadOptions) => upload(calls, source, given),
  };
  return client as unknown as MarqueeClient;
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

/** The fields of `demo-credentials.json`, and of the file that `marquee namespaces create --output` writes. */
export interface CredentialsFile {
  base_url: string;
  ads_base_url: string;
  ads_sandbox_base_url: string;
  consumer_key: string;
  consumer_secret: string;
  access_token: string;
  access_token_secret: string;
}

/** The options for the credentials in a file such as `demo-credentials.json`. */
export const optionsFrom = (file: CredentialsFile, { sandbox = false } = {}): MarqueeOptions => ({
  baseUrl: file.base_url,
  adsBaseUrl: file.ads_base_url,
  adsSandboxBaseUrl: file.ads_sandbox_base_url,
  sandbox,
  consumerKey: file.consumer_key,
  consumerSecret: file.consumer_secret,
  accessToken: file.access_token,
  accessTokenSecret: file.access_token_secret,
});
