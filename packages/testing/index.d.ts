/** What signs requests, with the ids of the things to begin with: the fields of `demo-credentials.json`. */
export interface Credentials {
  base_url: string;
  ads_base_url: string;
  ads_sandbox_base_url: string;
  consumer_key: string;
  consumer_secret: string;
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
}

/** Query of GET and DELETE, form of POST and PUT; a list is a JSON body, as batches have it. */
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
}

/** An application, a user and accounts for one run of tests. */
export interface Namespace extends Requesting {
  /** Deletes it before it expires. */
  delete(): Promise<void>;
}

export interface Marquee extends Requesting {
  /** The base URL of the service. */
  url: string;
  /** Creates a namespace. `ttl`: seconds until it is deleted. */
  namespace(options?: { name?: string; ttl?: number }): Promise<Namespace>;
  /** Stops the service and deletes its data. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** `demo`, the default, has the demo's data; `empty` has a user with an application and nothing else. */
  seed?: 'demo' | 'empty';
  /** The time at which the clock of the service starts, such as `2026-12-24T18:00:00Z`; it runs on from there. */
  clock?: string;
  /** Further environment variables of the service. */
  env?: Record<string, string>;
  /** The program and its first arguments; by default the checkout of this package, else `marquee`. */
  command?: string[];
}

/** Starts Marquee on a free port with an embedded store in a temporary folder, and resolves when it is ready. */
export function startMarquee(options?: StartOptions): Promise<Marquee>;
