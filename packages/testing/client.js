/** Requests to a service, signed with OAuth 1.0a. */
import { createHmac, randomBytes } from 'node:crypto';

/** Percent-encodes as RFC 3986, which OAuth requires. */
const encoded = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

const pairsOf = (params) =>
  Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));

const joined = (pairs) => pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');

/** The `Authorization` header of a request. `now`: the time of the service, in milliseconds. */
export function authorization({ method, url, params, credentials, now }) {
  const oauth = [
    ['oauth_consumer_key', credentials.consumer_key],
    ['oauth_nonce', randomBytes(16).toString('hex')],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(Math.floor(now / 1_000))],
    ['oauth_token', credentials.access_token],
    ['oauth_version', '1.0'],
  ];
  const { origin, pathname, searchParams } = new URL(url);
  const all = [...oauth, ...searchParams, ...params].map((pair) => pair.map(encoded));
  all.sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
  const base = [method, origin + pathname, all.map((pair) => pair.join('=')).join('&')].map(encoded).join('&');
  const key = `${encoded(credentials.consumer_secret)}&${encoded(credentials.access_token_secret)}`;
  const signature = createHmac('sha1', key).update(base).digest('base64');
  const fields = [...oauth, ['oauth_signature', signature]];
  return `OAuth ${fields.map(([name, value]) => `${encoded(name)}="${encoded(value)}"`).join(', ')}`;
}

/** Somebody who sends requests to a service. `clock.offset`: how far the clock of the service is ahead, in milliseconds. */
export class Client {
  constructor(credentials, clock = { offset: 0 }) {
    this.credentials = credentials;
    this.clock = clock;
  }

  /**
   * Sends a signed request. Parameters go to the query of GET and DELETE and to the form of POST and PUT; a list is a JSON
   * body, as batches have it. `json` is a JSON body, with which parameters go to the query. `:account_id` in the path is that
   * of the credentials. `sandbox` selects the sandbox.
   */
  async request(method, path, params = {}, { sandbox = false, headers = {}, json } = {}) {
    const { base_url, ads_base_url, ads_sandbox_base_url, account_id, sandbox_account_id } = this.credentials;
    const isAds = /^\/\d+\//.test(path) && !path.startsWith('/2/');
    const base = sandbox ? ads_sandbox_base_url : isAds ? ads_base_url : base_url;
    const account = sandbox ? sandbox_account_id : account_id;
    const url = new URL(base + path.replaceAll(':account_id', account ?? ':account_id'));
    const isBatch = json === undefined && Array.isArray(params);
    const isJson = isBatch || json !== undefined;
    const isForm = !isJson && (method === 'POST' || method === 'PUT');
    const pairs = isBatch ? [] : pairsOf(params);
    if (!isForm && pairs.length > 0) url.search = joined(pairs);
    const form = isForm ? pairs : [];
    const now = Date.now() + this.clock.offset;
    const signed = authorization({ method, url: url.href, params: form, credentials: this.credentials, now });
    const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
    const answer = await fetch(url, {
      method,
      headers: { authorization: signed, ...((isJson || isForm) && { 'content-type': type }), ...headers },
      ...(isForm && { body: joined(form) }),
      ...(isJson && { body: JSON.stringify(isBatch ? params : json) }),
    });
    const text = await answer.text();
    const isJsonAnswer = (answer.headers.get('content-type') ?? '').includes('json');
    return { status: answer.status, headers: answer.headers, body: isJsonAnswer ? JSON.parse(text) : text };
  }

  /** Sends a request and returns the body of its answer; throws unless it succeeds. */
  async ask(method, path, params) {
    return this.expectOk(await this.request(method, path, params));
  }

  /** The body of an answer; throws for that of a failed request. */
  expectOk({ status, body }) {
    if (status >= 200 && status < 300) return body;
    throw new Error(`The service answers ${status}: ${JSON.stringify(body)}`);
  }
}
