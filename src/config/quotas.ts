import type { EnvironmentReader } from './environment.js';

/** The modes of rate limits (`RATE_LIMITS`). */
export const RATE_LIMIT_MODES = ['faithful', 'relaxed', 'off'] as const;
export type RateLimitMode = (typeof RATE_LIMIT_MODES)[number];

/** The limit of a window, and its length. */
export interface Quota {
  limit: number;
  seconds: number;
}

/**
 * The rate limit table of the public service. `RATE_LIMITS=relaxed` multiplies rows that are not fixed by 100;
 * `RATE_LIMIT_<NAME>=<limit>/<seconds>` replaces a row in every mode, `RATE_LIMIT_<NAME>=<limit>` its limit.
 */
export const QUOTAS = {
  /** All POST, PUT and DELETE of a user token together. */
  WRITES: { limit: 450, seconds: 60 },
  /** Uploads of users to audiences and do-not-reach lists, per account and endpoint; they do not count in WRITES. */
  AUDIENCE_USERS: { limit: 1_500, seconds: 60, fixed: true },
  /** Conversions sent to the pixel of an account, each one; they do not count in WRITES. */
  CONVERSIONS: { limit: 60_000, seconds: 900, fixed: true },
  /** Reads of campaigns, line items, promoted posts, targeting criteria and funding, per account and endpoint. */
  CORE_READS: { limit: 10_000, seconds: 900 },
  /** All other reads under an account, per account and endpoint. */
  ACCOUNT_READS: { limit: 2_000, seconds: 900 },
  /** Reads without an account, of each endpoint, per user token; of `/2` all together, per application. */
  GLOBAL_READS: { limit: 300, seconds: 900 },
  /** Keyword insights, per user token. */
  KEYWORD_INSIGHTS: { limit: 500, seconds: 900 },
  /** Statistics, per user token. */
  STATISTICS: { limit: 250, seconds: 900 },
  /** Reads of product catalogs, products and scheduled feeds, of each endpoint, per user token. */
  CATALOG_READS: { limit: 1_000, seconds: 900 },
  /** Writes of product catalogs and of scheduled feeds, of each endpoint, per user token. */
  CATALOG_WRITES: { limit: 20, seconds: 900 },
  /** Batches of products, per user token. */
  PRODUCT_WRITES: { limit: 600, seconds: 900 },
  /** Deletions of products, per user token. */
  PRODUCT_DELETES: { limit: 150, seconds: 900 },
  /** Reads of product sets, of each endpoint, per user token. */
  PRODUCT_SET_READS: { limit: 2_000, seconds: 900 },
  /** Changes of product sets, per user token. */
  PRODUCT_SET_UPDATES: { limit: 500, seconds: 900 },
  /** New product sets, and deletions of them, of each endpoint, per user token. */
  PRODUCT_SET_WRITES: { limit: 100, seconds: 900 },
  /** Lookups of targeting values, per user token. */
  TARGETING_LOOKUPS: { limit: 400, seconds: 900 },
  /** Lookups of TV markets and of shows, of each endpoint, per user token. */
  TV_LOOKUPS: { limit: 2_000, seconds: 900 },
  /** Requests with `with_total_count`, per account, or per user token without one. */
  TOTAL_COUNT: { limit: 200, seconds: 900, fixed: true },
  /** The authentication endpoints, per application; per address for unauthenticated requests. */
  OAUTH: { limit: 180, seconds: 900 },
  /** Requests without a valid signature, per address and process. */
  UNSIGNED: { limit: 600, seconds: 60, fixed: true },
  /** Requests for a bearer token, which clients should cache, per application. */
  BEARER_TOKEN: { limit: 15, seconds: 900 },
  /** Requests for a replay of webhook events, per application. */
  WEBHOOK_REPLAYS: { limit: 5, seconds: 900 },
  /** Requests to the workbench, per access token, and to its pages, per address. */
  WORKBENCH: { limit: 6_000, seconds: 900 },
  /** The pages on which people sign in and approve applications, per address. */
  PAGES: { limit: 600, seconds: 900 },
  /** The preview pages of posts, of which a site may frame many, per address. */
  PREVIEWS: { limit: 6_000, seconds: 900 },
  /** Events that browsers send to pixels, per address; they count in CONVERSIONS, too. */
  PIXEL_EVENTS: { limit: 6_000, seconds: 900 },
} satisfies Record<string, Quota & { fixed?: boolean }>;
export type QuotaName = keyof typeof QUOTAS;

/** What the storage quotas of users and accounts limit. */
export type StorageQuotaName =
  | 'UNFINISHED_UPLOAD_BYTES'
  | 'USER_MEDIA_BYTES'
  | 'ACCOUNT_MEDIA_BYTES'
  | 'AUDIENCE_ROWS'
  | 'CATALOG_PRODUCTS'
  | 'CATALOG_BYTES'
  | 'CONVERSIONS'
  | 'ENGAGEMENTS'
  | 'LEADS';

/** The quotas of a process, with those that its environment overrides. */
export function readQuotas(read: EnvironmentReader, mode: RateLimitMode): Record<QuotaName, Quota> {
  const quotas = Object.entries(QUOTAS).map(([name, { limit, seconds, ...row }]) => {
    const variable = `RATE_LIMIT_${name}`;
    const given = read.text(variable);
    const own = /^([1-9]\d{0,9})(?:\/([1-9]\d{0,5}))?$/.exec(given ?? '');
    if (given !== undefined && !own)
      read.refuse(variable, `must have the form <requests>/<seconds>, such as 450/60, or <requests>, not "${given}"`);
    if (own) return [name, { limit: Number(own[1]), seconds: Number(own[2] ?? seconds) }];
    const factor = mode === 'relaxed' && !('fixed' in row) ? 100 : 1;
    return [name, { limit: limit * factor, seconds }];
  });
  return Object.fromEntries(quotas) as Record<QuotaName, Quota>;
}

const GIB = 1024 ** 3;
/** Maximum storage quota: a petabyte, or as many rows. */
const MAX_STORED = 1024 ** 5;

/** The storage quotas of users and accounts; 0 for no limit. */
export const readStorageQuotas = (read: EnvironmentReader): Readonly<Record<StorageQuotaName, number>> =>
  Object.freeze({
    UNFINISHED_UPLOAD_BYTES: read.int('MAX_UNFINISHED_UPLOAD_BYTES_PER_USER', 10 * GIB, 0, MAX_STORED),
    USER_MEDIA_BYTES: read.int('MAX_MEDIA_BYTES_PER_USER', 100 * GIB, 0, MAX_STORED),
    ACCOUNT_MEDIA_BYTES: read.int('MAX_MEDIA_BYTES_PER_ACCOUNT', 100 * GIB, 0, MAX_STORED),
    AUDIENCE_ROWS: read.int('MAX_AUDIENCE_ROWS_PER_ACCOUNT', 100_000_000, 0, MAX_STORED),
    CATALOG_PRODUCTS: read.int('MAX_PRODUCTS_PER_CATALOG', 1_000_000, 0, MAX_STORED),
    CATALOG_BYTES: read.int('MAX_CATALOG_BYTES_PER_USER', 2 * GIB, 0, MAX_STORED),
    CONVERSIONS: read.int('MAX_CONVERSIONS_PER_ACCOUNT', 100_000_000, 0, MAX_STORED),
    ENGAGEMENTS: read.int('MAX_ENGAGEMENTS_PER_ACCOUNT', 1_000_000, 0, MAX_STORED),
    LEADS: read.int('MAX_LEADS_PER_ACCOUNT', 1_000_000, 0, MAX_STORED),
  });
