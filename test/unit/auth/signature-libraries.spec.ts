import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import oauthLibrary from 'oauth';
import OAuth1a from 'oauth-1.0a';
import { parseAuthorization, ProtocolViolation } from '../../../src/auth/headers/authorization-header.js';
import { percentEncode } from '../../../src/auth/headers/percent.js';
import { pairsOf } from '../../../src/common/http/bodies/form-encoding.js';
import {
  baseString,
  baseStringUri,
  collectParameters,
  isSignedBy,
  sign,
} from '../../../src/auth/signature/signature.js';
import type { OAuthInside } from '../../support/oauth-inside.js';

/** A request as it arrives: the target with its query and the form body are text, as on the wire. */
interface Wire {
  method: string;
  scheme: string;
  host: string;
  target: string;
  body: string;
  authorization: string;
}
interface Secrets {
  consumer: string;
  token: string;
}

function accepts(wire: Wire, secrets: Secrets): boolean {
  const header = parseAuthorization(wire.authorization);
  if (header instanceof ProtocolViolation) return false;
  const collected = collectParameters(header.pairs, pairsOf(wire.target.split('?')[1] ?? ''), pairsOf(wire.body));
  if (collected instanceof ProtocolViolation) return false;
  const base = baseString(wire.method, baseStringUri(wire.scheme, wire.host, wire.target), collected.pairs);
  return isSignedBy(collected.oauth.oauth_signature ?? '', base, secrets.consumer, secrets.token);
}

const AWKWARD = [...',+ *!\'()~&=%;:@/?#[]"\\<>|^`{}.-_', ...'éß☃漢字', '😀', '\u0301', '\u00a0', '\u2028', '1', '10'];
const character = fc.oneof(fc.constantFrom(...AWKWARD), fc.constantFrom(...'abcXYZ0189'));
const text = (minLength: number, maxLength: number) => fc.string({ unit: character, minLength, maxLength });
// `__proto__` cannot be a key of the plain objects that both libraries keep parameters in.
const name = text(1, 6).filter((each) => each !== '__proto__' && !each.startsWith('oauth_'));
const value = text(0, 10);
const secret = fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-]{10,40}$/), text(1, 12));
const segment = fc.oneof(
  fc.stringMatching(/^[a-z0-9_.~-]{1,8}$/),
  fc.constantFrom('%20', '%2F', '%C3%A9', 'a;b', "('*!)", ':@,+', '%7e'),
);
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => `/${segments.join('/')}`);

const requests = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
  scheme: fc.constantFrom('http', 'https'),
  host: fc.constantFrom('ads.example.com', 'localhost:3000', '127.0.0.1:8080', '[::1]:3000'),
  path,
  // Both libraries merge query and form into one object, where a name that is in both would be lost: names are distinct.
  fields: fc.uniqueArray(
    fc.record({ name, values: fc.array(value, { minLength: 1, maxLength: 3 }), inForm: fc.boolean() }),
    {
      selector: (field) => field.name,
      maxLength: 6,
    },
  ),
  consumer: secret,
  token: secret,
  change: fc.constantFrom('method', 'path', 'parameter', 'consumer', 'token', 'signature'),
  at: fc.nat(1_000),
});
type Case = typeof requests extends fc.Arbitrary<infer T> ? T : never;

const escaped = (pairs: [string, string][]) =>
  pairs.map(([n, v]) => `${percentEncode(n)}=${percentEncode(v)}`).join('&');
/** As browsers and most clients write a form: a space is `+`, and `*` stands as it is. */
const formText = (pairs: [string, string][]) => new URLSearchParams(pairs).toString();
const pairsFrom = (fields: Case['fields']) =>
  fields.flatMap(({ name, values }) => values.map((value): [string, string] => [name, value]));

/** The same request with one character of one part replaced by another. */
function changed(wire: Wire, secrets: Secrets, { change, at }: Case): [Wire, Secrets] {
  const swap = (text: string, from = 0, to = text.length) => {
    const index = from + (at % (to - from));
    return text.slice(0, index) + (text[index] === 'q' ? 'w' : 'q') + text.slice(index + 1);
  };
  if (change === 'method') return [{ ...wire, method: swap(wire.method) }, secrets];
  if (change === 'path') return [{ ...wire, target: swap(wire.target, 1, wire.target.split('?')[0].length) }, secrets];
  if (change === 'consumer') return [wire, { ...secrets, consumer: swap(secrets.consumer) }];
  if (change === 'token') return [wire, { ...secrets, token: swap(secrets.token) }];
  if (change === 'parameter') {
    const queryAt = wire.target.indexOf('?') + 1;
    if (queryAt > 0) return [{ ...wire, target: swap(wire.target, queryAt) }, secrets];
    return [{ ...wire, body: wire.body ? swap(wire.body) : 'q=' }, secrets];
  }
  const start = wire.authorization.indexOf('oauth_signature="') + 'oauth_signature="'.length;
  const end = wire.authorization.indexOf('"', start);
  return [{ ...wire, authorization: swap(wire.authorization, start, end) }, secrets];
}

function holds(signed: (given: Case) => Wire, runs: number) {
  fc.assert(
    fc.property(requests, (given) => {
      const wire = signed(given);
      const secrets = { consumer: given.consumer, token: given.token };
      return accepts(wire, secrets) && !accepts(...changed(wire, secrets, given));
    }),
    { numRuns: runs },
  );
}

describe('requests signed by clients', () => {
  it('takes what oauth-1.0a signs, and nothing that was changed', () => {
    holds(({ method, scheme, host, path, fields, consumer, token }) => {
      const client = new OAuth1a({
        consumer: { key: 'consumer-key', secret: consumer },
        signature_method: 'HMAC-SHA1',
        hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
      });
      // It reads names of the query without decoding them and drops an empty value that is repeated, so the query holds
      // only fields with plain names and one value here; all others travel in the form.
      const simple = (field: Case['fields'][number]) =>
        field.values.length === 1 && percentEncode(field.name) === field.name;
      const inQuery = fields.filter((field) => !field.inForm && simple(field));
      const inForm = fields.filter((field) => field.inForm || !simple(field));
      const query = escaped(pairsFrom(inQuery));
      const target = query ? `${path}?${query}` : path;
      const data = Object.fromEntries(
        inForm.map((each) => [each.name, each.values.length > 1 ? each.values : each.values[0]]),
      );
      const signed = client.authorize(
        { method, url: `${scheme}://${host}${target}`, data },
        { key: 'the-token', secret: token },
      );
      return {
        method,
        scheme,
        host,
        target,
        body: formText(pairsFrom(inForm)),
        authorization: client.toHeader(signed).Authorization,
      };
    }, 5_000);
  });

  it('takes what oauth signs, and nothing that was changed', () => {
    holds(({ method, scheme, host, path, fields, consumer, token }) => {
      const client = new oauthLibrary.OAuth(
        '',
        '',
        'consumer-key',
        consumer,
        '1.0',
        null,
        'HMAC-SHA1',
      ) as unknown as OAuthInside;
      // It renames a name that the query repeats (`a[0]`, `a[1]`), so only the form repeats names; and in a path it
      // escapes an apostrophe by itself before it signs and sends it, so the path is the one it sends.
      const inQuery = fields.filter((field) => !field.inForm && field.values.length === 1);
      const inForm = fields.filter((field) => field.inForm || field.values.length > 1);
      const query = escaped(pairsFrom(inQuery));
      const sent = path.replaceAll("'", '%27');
      const target = query ? `${sent}?${query}` : sent;
      const parameters = Object.fromEntries(inForm.map((each) => [each.name, each.values]));
      // It takes the brackets off an IPv6 host.
      const named = host.startsWith('[') ? 'localhost:3000' : host;
      const ordered = client._prepareParameters(
        'the-token',
        token,
        method,
        `${scheme}://${named}${target}`,
        parameters,
      );
      const authorization = client._buildAuthorizationHeaders(ordered);
      return { method, scheme, host: named, target, body: formText(pairsFrom(inForm)), authorization };
    }, 5_000);
  });

  it('takes what it signs itself, names repeated everywhere', () => {
    holds(({ method, scheme, host, path, fields, consumer, token }) => {
      const query = pairsFrom(fields.filter((field) => !field.inForm));
      const form = [...pairsFrom(fields.filter((field) => field.inForm)), ...query.slice(0, 2)];
      const target = query.length ? `${path}?${formText(query)}` : path;
      const authorization = sign({
        method,
        url: `${scheme}://${host}${target}`,
        params: form,
        consumer: { key: 'consumer-key', secret: consumer },
        token: { key: 'the-token', secret: token },
        timestamp: 1_700_000_000,
        nonce: 'nonce',
      });
      return { method, scheme, host, target, body: formText(form), authorization };
    }, 2_000);
  });
});
