import fc from 'fast-check';
import oauthLibrary from 'oauth';
import { useApp, world } from '../../support/app.js';
import { authorization } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { send } from '../../support/http.js';
import type { OAuthInside } from '../../support/oauth-inside.js';
import { escape } from '../../support/signing.js';

useApp();

const RUNS = 150;

let advertiser: Advertiser;
beforeAll(async () => {
  advertiser = await given.advertiser();
});

const AWKWARD = [...',+ *!\'()~&=%;:@/?#[]"\\<>|^`{}.-_', ...'éß☃漢字', '😀', '\u00a0', '1', '10'];
const text = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.oneof(fc.constantFrom(...AWKWARD), fc.constantFrom(...'abcXYZ09')), minLength, maxLength });

/** Names begin with `x`: the endpoints ignore them, and none is a protocol parameter. */
const requests = fc.record({
  method: fc.constantFrom('GET', 'PUT'),
  inQuery: fc.uniqueArray(fc.record({ name: text(0, 5), value: text(0, 8) }), {
    selector: ({ name }) => name,
    maxLength: 4,
  }),
  inForm: fc.uniqueArray(
    fc.record({ name: text(0, 5), values: fc.array(text(1, 8), { minLength: 1, maxLength: 3 }) }),
    {
      selector: ({ name }) => name,
      maxLength: 4,
    },
  ),
  change: fc.constantFrom('signature', 'query', 'form', 'path'),
});
type Case = typeof requests extends fc.Arbitrary<infer T> ? T : never;

interface Wire {
  method: string;
  target: string;
  body?: string;
  authorization: string;
}

const path = () => `/12/accounts/${advertiser.account.id}`;
const encoded = (pairs: [string, string][]) =>
  pairs.map(([name, value]) => `${escape(name)}=${escape(value)}`).join('&');

/** The request as it goes over the wire: strictly escaped in the query, as browsers write it in the form. */
function wireOf(
  { method, inQuery, inForm }: Case,
  sign: (url: string, form: Record<string, string[]>) => string,
): Wire {
  const query = encoded(inQuery.map(({ name, value }) => [`xq${name}`, value]));
  const target = query ? `${path()}?${query}` : path();
  const form = method === 'GET' ? {} : Object.fromEntries(inForm.map(({ name, values }) => [`xf${name}`, values]));
  const pairs = Object.entries(form).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return {
    method,
    target,
    ...(method === 'PUT' && { body: new URLSearchParams(pairs).toString() }),
    authorization: sign(`${world().url}${target}`, form),
  };
}

async function statusOf({ method, target, body, authorization: value }: Wire): Promise<number> {
  const headers: Record<string, string> = { authorization: value };
  if (body !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
  return (await send(world().url, target, { method, headers, body })).status;
}

function changed(wire: Wire, { change }: Case): Wire {
  if (change === 'path') return { ...wire, target: wire.target.replace('/accounts/', '/accounts/0') };
  if (change === 'form' && wire.body) return { ...wire, body: `${wire.body}x` };
  if (change === 'query') return { ...wire, target: `${wire.target}${wire.target.includes('?') ? '&' : '?'}xx=` };
  return {
    ...wire,
    authorization: wire.authorization.replace(
      /(oauth_signature=")(.)/,
      (_, start: string, first: string) => `${start}${first === 'A' ? 'B' : 'A'}`,
    ),
  };
}

const holds = (signed: (given: Case) => Wire) =>
  fc.assert(
    fc.asyncProperty(requests, async (given) => {
      const wire = signed(given);
      // First the changed one: refused, it leaves the nonce to the right one.
      expect(await statusOf(changed(wire, given))).toBe(401);
      expect(await statusOf(wire)).toBe(200);
      expect(await statusOf(wire)).toBe(401);
    }),
    { numRuns: RUNS },
  );

describe('over HTTP', () => {
  it('takes what oauth-1.0a signs, once, and nothing that was changed', async () => {
    await holds((given) =>
      wireOf(given, (url, form) => authorization(advertiser.credentials, given.method, url, form)),
    );
  }, 60_000);

  it('takes what oauth signs, once, and nothing that was changed', async () => {
    const { consumer, token } = advertiser.credentials;
    await holds((given) =>
      wireOf(given, (url, form) => {
        const client = new oauthLibrary.OAuth(
          '',
          '',
          consumer.key,
          consumer.secret,
          '1.0',
          null,
          'HMAC-SHA1',
        ) as unknown as OAuthInside;
        const ordered = client._prepareParameters(token.key, token.secret, given.method, url, form);
        return client._buildAuthorizationHeaders(ordered);
      }),
    );
  }, 60_000);
});
