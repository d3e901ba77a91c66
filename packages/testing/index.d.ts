/** What signs requests, with the ids of the things to begin with: the fields of `demo-credentials.json`. */
export interface Credentials {
  base_url: string;
  ads_base_url: string;
  ads_sandbox_base_url: string;
  consumer_key: string;
  consumer_secret: string;
  /** The client of OAuth 2.0; in a namespace and in an empty service after `oauth2Tokens`. */
  client_id?: string;
  access_token: string;
  access_token_secret: string;
  username: string;
  user_id: string;
  /** The account of the demo or of the namespace; absent in an empty service, as are the next ones. */
  account_id?: string;
  sandbox_account_id?: string;
  funding_instrument_id?: string;
  sandbox_funding_instrument_id?: string;
}

/** What a user may allow an application. */
export type Scope = 'ads.read' | 'ads.write' | 'media.write' | 'offline.access' | 'users.read' | 'tweet.read';

/** What the token endpoint answers, and whose tokens they are. A refresh needs the `client_id`, and no secret. */
export interface OAuth2Tokens {
  access_token: string;
  refresh_token?: string;
  token_type: 'bearer';
  /** Seconds. */
  expires_in: number;
  /** The scopes, separated by spaces. */
  scope: string;
  client_id: string;
  user_id: string;
  username: string;
}

/** A response; `body` is parsed if it is JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

export interface RequestOptions {
  /** Sends the request to the sandbox. */
  sandbox?: boolean;
  headers?: Record<string, string>;
  /** The body of a POST, PUT or DELETE as JSON. The parameters then go to the query. */
  json?: unknown;
}

/** Query of GET and DELETE, form of POST and PUT; a list is the JSON body of a POST, PUT or DELETE, as batches have it. */
export type Params = Record<string, string | number | boolean | undefined> | unknown[];

export interface Requesting {
  credentials: Credentials;
  /** Sends a signed request. `:account_id` in the path is that of the credentials. */
  request(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    params?: Params,
    options?: RequestOptions,
  ): Promise<Answer>;
  /** Creates a token with which a server sends conversions to the pixel of the sandbox account: `X-Pixel-Token`. */
  pixelToken(name?: string): Promise<{ pixel_id: string; token: string; token_id: string }>;
  /**
   * Tokens of OAuth 2.0 with which the application acts for the user, as after an approval of these scopes; by default all. They end those
   * of an earlier call. With `offline.access` there is a refresh token.
   */
  oauth2Tokens(options?: { scopes?: Scope[] }): Promise<OAuth2Tokens>;
  /** Makes a user of the directory click on what a line item of the sandbox account shows, or view it. */
  engagement(params: {
    line_item_id: string;
    user_id: string;
    type?: 'CLICK' | 'VIEW';
    time?: string;
    ip_address?: string;
    user_agent?: string;
  }): Promise<{ id: string; twclid: string | null; [field: string]: unknown }>;
  /** Sends a conversion to the pixel of the sandbox account. It is matched within a second: `GET /workbench/conversions/:id`. */
  conversion(params: {
    event_id: string;
    conversion_id?: string;
    conversion_time?: string;
    value?: string;
    price_currency?: string;
    number_items?: string;
    twclid?: string;
    email?: string;
    phone_number?: string;
  }): Promise<{ id: string; state: string; is_duplicate: boolean; [field: string]: unknown }>;
}

/** The frozen time of a sandbox account: a test clock of the workbench. */
export interface TestClock {
  readonly id: string;
  /** The time that the account has, in ISO 8601. */
  readonly now: string;
  /**
   * Advances to a time, or by a duration such as `90d`, `12h`, `30m` or `45s`. Resolves with the new time when everything that
   * is due until then has happened; throws if that fails.
   */
  advance(to: string | Date): Promise<string>;
}

/** A time such as `2026-12-24T18:00:00Z` freezes the sandbox accounts, as `frozenAt` does. */
export type ClockOption =
  | string
  | Date
  | {
      /** The time at which the sandbox accounts are frozen: at most 2 years before or after that of the service. */
      frozenAt?: string | Date;
      /** The time at which the clock of the service starts; it runs on from there. */
      startsAt?: string | Date;
    };

export interface NamespaceOptions {
  /** The name of the namespace, its application and its accounts. */
  name?: string;
  /** Seconds until it is deleted; by default an hour. */
  ttl?: number;
  /** The time at which its sandbox account is frozen; by default as the service was started. */
  clock?: string | Date | { frozenAt?: string | Date };
}

/** An application, a user and accounts for one run of tests. */
export interface Namespace extends Requesting {
  /** The clock of its sandbox account; reading it throws unless the time is frozen. */
  readonly clock: TestClock;
  /** Deletes it before it expires. */
  delete(): Promise<void>;
}

/** Somebody who sends requests to a service and creates namespaces in it. */
export interface Handle extends Requesting {
  /** The clock of the demo's sandbox account; reading it throws unless the time is frozen. */
  readonly clock: TestClock;
  /** Creates a namespace. */
  namespace(options?: NamespaceOptions): Promise<Namespace>;
}

export interface Marquee extends Handle {
  /** The base URL of the service. */
  url: string;
  /** Stops the service and deletes its data. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** `demo`, the default, has the demo's data; `empty` has a user with an application and nothing else. */
  seed?: 'demo' | 'empty';
  clock?: ClockOption;
  /** Runs the service in this process instead of a child process; needs the package `marquee` in the project, or a checkout of it. */
  inProcess?: boolean;
  /** Further environment variables of the service. */
  env?: Record<string, string>;
  /** The program and its first arguments; by default those of the checkout of this package, of the package `marquee` in the project, else `marquee`. */
  command?: string[];
}

/** Starts Marquee on a free port with an embedded store in a temporary folder, and resolves when it is ready. */
export function startMarquee(options?: StartOptions): Promise<Marquee>;
