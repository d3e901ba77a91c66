import fc from 'fast-check';
import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { pairsOf } from '../../../src/common/http/bodies/form-encoding.js';
import { sign } from '../../../src/auth/signature/signature.js';

type Hmac = (key: string, text: string) => Uint8Array;
interface Signer {
  authorizationOf(
    request: { method: string; url: string; form?: string; keys: object; timestamp: number; nonce: string },
    hmacSha1: Hmac,
  ): string;
  percentEncode(text: string): string;
  pairsOf(text: string): [string, string][];
  skewOf(status: number, date: string | null, body: string, nowSeconds: number): number | undefined;
}

/** What the reference page loads, as the browser does: a module without types. */
const signer = (await import(new URL('../../../assets/docs/sign.js', import.meta.url).pathname)) as Signer;

const utf8 = (text: string) => new TextEncoder().encode(text);
const hmacSha1: Hmac = (key, text) => hmac(sha1, utf8(key), utf8(text));

const keys = {
  consumer_key: 'consumer-key-1',
  consumer_secret: 'consumer-secret-1',
  access_token: '42-token',
  access_token_secret: 'token-secret-1',
};
const moment = { timestamp: 1_790_000_000, nonce: 'f00dfeed' };

const byPage = (method: string, url: string, form?: string) =>
  signer.authorizationOf({ method, url, form, keys, ...moment }, hmacSha1);

const byService = (method: string, url: string, form = '') =>
  sign({
    method,
    url: new URL(url).href,
    params: pairsOf(form),
    consumer: { key: keys.consumer_key, secret: keys.consumer_secret },
    token: { key: keys.access_token, secret: keys.access_token_secret },
    ...moment,
  });

describe('signing in the page', () => {
  it.each([
    ['GET', 'http://localhost:3000/12/accounts', ''],
    ['GET', 'http://LOCALHOST:80/12/accounts?q=a%20b&count=1', ''],
    ['GET', 'https://ads.example.com:443/12/accounts?with_deleted', ''],
    ['POST', 'http://127.0.0.1:3000/sandbox/12/accounts/abc/campaigns', 'name=One+two%2C+%2B+*+%C3%A9&name=&b=%zz'],
    ['PUT', 'http://localhost:3000/12/accounts/abc?a=1&a1=2&a=0', 'a=3'],
    ['DELETE', "http://localhost:3000/12/accounts/it's(here)!*", ''],
  ])('is what the service expects: %s %s', (method, url, form) => {
    expect(byPage(method, url, form)).toBe(byService(method, url, form));
  });

  it('is what the service expects, whatever is sent', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 });
    const pairs = fc.array(fc.tuple(text, text), { maxLength: 5 });
    const encodings = [
      (all: [string, string][]) => new URLSearchParams(all).toString(),
      (all: [string, string][]) => all.map((pair) => pair.map(signer.percentEncode).join('=')).join('&'),
      (all: [string, string][]) => all.map((pair) => pair.join('=')).join('&'),
    ];
    const encoded = fc.tuple(pairs, fc.constantFrom(...encodings)).map(([all, encode]) => encode(all));
    fc.assert(
      fc.property(fc.constantFrom('GET', 'POST', 'PUT'), encoded, encoded, (method, query, form) => {
        const url = `http://localhost:3000/12/accounts?${query.replaceAll('#', '')}`;
        expect(byPage(method, url, form)).toBe(byService(method, url, form));
      }),
      { numRuns: 500 },
    );
  });

  it('is that of the application where there is no token', () => {
    const { consumer_key, consumer_secret } = keys;
    const request = { method: 'POST', url: 'http://localhost:3000/oauth/request_token?oauth_callback=oob' };
    expect(signer.authorizationOf({ ...request, keys: { consumer_key, consumer_secret }, ...moment }, hmacSha1)).toBe(
      sign({ ...request, consumer: { key: consumer_key, secret: consumer_secret }, ...moment }),
    );
  });

  it('reads a form as the service does', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '=', '&', '+', '%', '2', 'C', 'é') }), (form) => {
        expect(signer.pairsOf(form)).toEqual(pairsOf(form));
      }),
    );
  });

  it('learns from a refusal how far its clock is off', () => {
    const date = new Date(moment.timestamp * 1000).toUTCString();
    expect(signer.skewOf(401, date, '{"details":"timestamp out of bounds"}', moment.timestamp - 4000)).toBe(4000);
    expect(signer.skewOf(401, date, '{"message":"Timestamp out of bounds."}', moment.timestamp + 400)).toBe(-400);
    expect(signer.skewOf(401, date, '{"message":"something else"}', 0)).toBeUndefined();
    expect(signer.skewOf(200, date, 'out of bounds', 0)).toBeUndefined();
    expect(signer.skewOf(401, null, 'out of bounds', 0)).toBeUndefined();
  });
});
