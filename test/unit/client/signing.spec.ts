import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import OAuth from 'oauth-1.0a';
import { formOf, pairsOf } from '../../../packages/client/src/forms.js';
import { authorization, baseString, encodedPairs } from '../../../packages/client/src/signing.js';

const credentials = { consumerKey: 'key', consumerSecret: 'c&s', accessToken: 'token', accessTokenSecret: 't%s' };
const oauth = new OAuth({
  consumer: { key: credentials.consumerKey, secret: credentials.consumerSecret },
  signature_method: 'HMAC-SHA1',
  hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
});
const token = { key: credentials.accessToken, secret: credentials.accessTokenSecret };

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom("!*'()", '+ %20', 'a=b&c', 'Ä 😀', ''));
// the other library assigns parameters to an object, which loses this name
const names = text.filter((name) => name !== '' && name !== '__proto__');
const params = fc.dictionary(names, text);

/** The fields of an `Authorization` header. */
const fieldsOf = (header: string): Record<string, string> =>
  Object.fromEntries(
    [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, decodeURIComponent(value)]),
  );

it('signs as another library does, whatever the query and the form contain', () => {
  fc.assert(
    fc.property(params, params, (query, form) => {
      fc.pre(Object.keys(query).every((name) => !(name in form)));
      const url = new URL(`http://localhost:3000/12/accounts?${formOf(query)}`);
      const pairs = pairsOf(form);
      const header = authorization({ method: 'POST', url, form: pairs, credentials, now: 1_790_000_000_000 });
      const { oauth_signature: signature, ...fields } = fieldsOf(header);
      expect(fields).toMatchObject({ oauth_timestamp: '1790000000', oauth_token: 'token', oauth_version: '1.0' });
      const data = { ...fields, ...query, ...form };
      const request = { method: 'POST', url: url.origin + url.pathname, data };
      expect(signature).toBe(oauth.getSignature(request, token.secret, fields as unknown as OAuth.Data));
    }),
  );
});

it('sorts equal names by their values, as they are encoded', () => {
  const url = new URL('http://localhost/a?b=2&b=10&a=%7E');
  expect(baseString('GET', url, [['b', '*']])).toBe(
    'GET&http%3A%2F%2Flocalhost%2Fa&a%3D~%26b%3D%252A%26b%3D10%26b%3D2',
  );
});

it('writes forms that a parser of forms reads back', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      expect([...new URLSearchParams(encodedPairs(pairs))]).toEqual(pairs);
    }),
  );
  expect(formOf({ list: ['A', 'B'], none: undefined, empty: null, no: false, count: 0 })).toBe(
    'list=A%2CB&empty=&no=false&count=0',
  );
  expect(formOf({ half: '\ud800' })).toBe('half=%EF%BF%BD');
});
