import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import oauthLibrary from 'oauth';
import { useApp, world } from '../../support/app.js';
import { authorization, sendPrepared, Api } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { send, type Answer } from '../../support/http.js';
import { escape, header, protocol, query, quoted, signature, type Pair } from '../../support/signing.js';
import type { OAuthInside } from '../../support/oauth-inside.js';
import { BearersService } from '../../../src/auth/bearers/bearers.service.js';
import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import {
  accessToken,
  application,
  CALLBACK,
  pairOf,
  preparePost,
  requestToken,
  signedIn,
  signedPost,
  flow,
  Visitor,
} from './visitor.js';
import { FULL } from '../../support/environment.js';

useApp();

describe('signed requests', () => {
  const FORM = 'application/x-www-form-urlencoded';

  let advertiser: Advertiser;
  beforeAll(async () => {
    advertiser = await given.advertiser();
  });
  const path = () => `/12/accounts/${advertiser.account.id}`;
  const url = () => `${world().url}${path()}`;

  const unauthorised = (details?: unknown) => ({
    status: 401,
    body: {
      errors: [
        {
          code: 'UNAUTHORIZED_ACCESS',
          message: 'This request is not properly authenticated',
          ...(details !== undefined && { details }),
        },
      ],
    },
  });
  const invalidToken = { status: 401, body: { errors: [{ code: 89, message: 'Invalid or expired token' }] } };

  /** A GET of the account whose protocol parameters were changed before they were signed. */
  function changed(changes: Record<string, string | undefined>, credentials = advertiser.credentials): Promise<Answer> {
    const pairs = protocol(credentials, changes);
    const signed: Pair[] = [...pairs, ['oauth_signature', signature('GET', url(), pairs, credentials)]];
    return send(world().url, path(), { method: 'GET', headers: { authorization: header(signed) } });
  }

  /** A GET signed over its query, which travels as the text given. */
  function asked(pairs: Pair[], text: string): Promise<Answer> {
    const own = protocol(advertiser.credentials);
    const signed = signature('GET', url(), [...own, ...pairs], advertiser.credentials);
    return send(world().url, `${path()}?${text}`, {
      method: 'GET',
      headers: { authorization: header([...own, ['oauth_signature', signed]]) },
    });
  }

  describe('protocol parameters', () => {
    it('come in the header, the query or the form', async () => {
      const own = () => {
        const pairs = protocol(advertiser.credentials);
        return { pairs, all: [...pairs] };
      };
      const inQuery = own().pairs;
      const first = await send(
        world().url,
        `${path()}?${query([...inQuery, ['oauth_signature', signature('GET', url(), inQuery, advertiser.credentials)]])}`,
        { method: 'GET' },
      );
      expect(first.status).toBe(200);
      // Protocol parameters are no parameters of the endpoint.
      expect(first.body.request.params).toEqual({ account_id: advertiser.account.id });

      const inForm: Pair[] = [...own().pairs, ['name', 'Signed in a form']];
      const second = await send(world().url, path(), {
        method: 'PUT',
        headers: { 'content-type': FORM },
        body: query([...inForm, ['oauth_signature', signature('PUT', url(), inForm, advertiser.credentials)]]),
      });
      expect(second).toMatchObject({ status: 200, body: { data: { name: 'Signed in a form' } } });
    });

    it('count once when header and body agree, and not at all when they differ', async () => {
      const pairs = protocol(advertiser.credentials);
      const token = advertiser.credentials.token.key;
      const signed = signature('PUT', url(), [...pairs, ['name', 'Twice']], advertiser.credentials);
      const answer = await send(world().url, path(), {
        method: 'PUT',
        headers: { authorization: header([...pairs, ['oauth_signature', signed]]), 'content-type': FORM },
        body: query([
          ['oauth_token', token],
          ['name', 'Twice'],
        ]),
      });
      expect(answer).toMatchObject({ status: 200, body: { data: { name: 'Twice' } } });

      for (const name of ['oauth_token', 'oauth_nonce', 'oauth_consumer_key', 'oauth_signature', 'oauth_version']) {
        const again = protocol(advertiser.credentials);
        const all: Pair[] = [...again, ['oauth_signature', signature('PUT', url(), again, advertiser.credentials)]];
        const differing = await send(world().url, path(), {
          method: 'PUT',
          headers: { authorization: header(all), 'content-type': FORM },
          body: query([[name, 'another']]),
        });
        expect(differing).toMatchObject(unauthorised(expect.stringContaining(`${name} is sent more than once`)));
      }
    });

    it.each<[string, (pairs: Pair[]) => string]>([
      ['without spaces', (pairs) => header(pairs, ',')],
      ['with the realm first', (pairs) => `OAuth realm="Marquee, Inc.",${pairs.map(quoted).join(',')}`],
      ['with an empty realm', (pairs) => `OAuth realm="", ${pairs.map(quoted).join(', ')}`],
      ['on several lines of spaces', (pairs) => `OAuth   ${pairs.map(quoted).join('  ,\t ')}`],
      ['with an unquoted timestamp', (pairs) => header(pairs).replace(/oauth_timestamp="(\d+)"/, 'oauth_timestamp=$1')],
      ['with nothing quoted', (pairs) => header(pairs).replaceAll('"', '')],
      ['with another case of the scheme', (pairs) => header(pairs).replace('OAuth', 'oauth')],
      ['with a comma at the end', (pairs) => `${header(pairs)},`],
      ['in another order', (pairs) => header([...pairs].reverse())],
      [
        'with lower-case escapes',
        (pairs) => header(pairs).replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase()),
      ],
    ])('may be laid out %s', async (_, write) => {
      const pairs = protocol(advertiser.credentials);
      const signed = signature('GET', url(), pairs, advertiser.credentials);
      const authorization = write([...pairs, ['oauth_signature', signed]]);
      expect((await send(world().url, path(), { method: 'GET', headers: { authorization } })).status).toBe(200);
    });

    it('may be joined by others, which are signed too', async () => {
      for (const [name, value] of [
        ['oauth_body_hash', '2jmj7l5rSw0yVb/vlWAYkK/YBwk='],
        ['oauth_callback', 'http://client.example/cb?x=1'],
        ['oauth_unheard_of', 'é +'],
        ['x_anything', '1'],
      ] as Pair[]) {
        expect((await changed({ [name]: value })).status).toBe(200);
        const pairs = protocol(advertiser.credentials);
        const signed = signature('GET', url(), pairs, advertiser.credentials);
        const unsigned = header([...pairs, [name, value], ['oauth_signature', signed]]);
        expect(await send(world().url, path(), { method: 'GET', headers: { authorization: unsigned } })).toMatchObject(
          unauthorised(),
        );
      }
    });

    it('carry a body hash for empty, form and JSON bodies', async () => {
      const hash: Pair = ['oauth_body_hash', '2jmj7l5rSw0yVb/vlWAYkK/YBwk='];
      const form: Pair[] = [['name', 'Hashed']];
      const pairs: Pair[] = [...protocol(advertiser.credentials), hash];
      const signed = signature('PUT', url(), [...pairs, ...form], advertiser.credentials);
      const put = await send(world().url, path(), {
        method: 'PUT',
        headers: { authorization: header([...pairs, ['oauth_signature', signed]]), 'content-type': FORM },
        body: query(form),
      });
      expect(put.status).toBe(200);
      const target = `/12/batch/accounts/${advertiser.account.id}/campaigns`;
      const more: Pair[] = [...protocol(advertiser.credentials), hash];
      const batch = await send(world().url, target, {
        method: 'POST',
        headers: {
          authorization: header([
            ...more,
            ['oauth_signature', signature('POST', `${world().url}${target}`, more, advertiser.credentials)],
          ]),
          'content-type': 'application/json',
        },
        body: '[{"operation_type":"Delete","params":{"campaign_id":"0nobody"}}]',
      });
      expect(batch.body.operation_errors[0][0].code).toBe('NOT_FOUND');
    });
  });

  describe('what is signed', () => {
    it.each<[string, Pair[], string]>([
      [
        'empty values',
        [
          ['a', ''],
          ['b', ''],
        ],
        'a=&b',
      ],
      [
        'repeated keys, in whatever order',
        [
          ['a', '2'],
          ['a', '1'],
          ['a', '10'],
        ],
        'a=2&a=1&a=10',
      ],
      [
        'keys of which one begins the other',
        [
          ['a', '2'],
          ['a1', '1'],
          ['a=', '0'],
        ],
        'a1=1&a=2&a%3D=0',
      ],
      ['commas, escaped or not', [['ids', 'a,b,c']], 'ids=a,b%2Cc'],
      ['a plus sign as a space', [['q', 'a b c']], 'q=a+b%20c'],
      ['an escaped plus sign', [['q', 'a+b']], 'q=a%2Bb'],
      ["characters that some leave as they are: !*'()", [['q', "!*'()~"]], "q=!*'()~"],
      ['letters beyond ASCII', [['ö', '漢字 😀']], '%C3%B6=%E6%BC%A2%E5%AD%97+%F0%9F%98%80'],
      ['lower-case escapes', [['q', 'ä/ö']], 'q=%c3%a4%2f%c3%b6'],
      ['semicolons and colons', [['t', '2026-01-01T00:00:00;x']], 't=2026-01-01T00:00:00;x'],
      ['brackets', [['a[]', '[1]']], 'a[]=%5B1%5D'],
      ['an equals sign in a value', [['a', 'b=c=']], 'a=b=c%3D'],
      ['empty pieces', [['a', '1']], '&&a=1&'],
      ['a question mark', [['a', '?']], 'a=?'],
    ])('takes %s', async (_, pairs, text) => {
      expect(await asked(pairs, text)).toMatchObject({ status: 200 });
      expect(await asked([...pairs, ['more', '1']], text)).toMatchObject(unauthorised());
    });

    it('is the form, however it is written', async () => {
      const pairs: Pair[] = [
        ['name', 'a b*c+d~e'],
        ['x', ''],
        ['list', '1'],
        ['list', '2'],
      ];
      for (const [body, type] of [
        ['name=a+b*c%2Bd~e&x=&list=1&list=2', FORM],
        ['name=a%20b%2Ac%2Bd%7Ee&x&list=1&list=2', `${FORM}; charset=utf-8`],
      ]) {
        const own = protocol(advertiser.credentials);
        const signed = signature('PUT', url(), [...own, ...pairs], advertiser.credentials);
        const answer = await send(world().url, path(), {
          method: 'PUT',
          headers: { authorization: header([...own, ['oauth_signature', signed]]), 'content-type': type },
          body,
        });
        expect(answer).toMatchObject({ status: 200, body: { data: { name: 'a b*c+d~e' } } });
      }
    });

    it('is the path as it was sent', async () => {
      const strange = `/12/accounts/${advertiser.account.id}/campaigns/a%2Fb%7e%C3%A9;('*!)`;
      const pairs = protocol(advertiser.credentials);
      const signed = signature('GET', `${world().url}${strange}`, pairs, advertiser.credentials);
      const answer = await send(world().url, strange, {
        method: 'GET',
        headers: { authorization: header([...pairs, ['oauth_signature', signed]]) },
      });
      expect(answer.status).toBe(404);
      expect(answer.body.errors[0]).toMatchObject({ code: 'NOT_FOUND', parameter: 'campaign_id' });
    });

    it('is not the JSON body', async () => {
      const target = `/12/batch/accounts/${advertiser.account.id}/campaigns`;
      const prepared = advertiser.api.prepare('POST', target, { json: [] });
      const answer = await sendPrepared({ ...prepared, body: '[{"operation_type":"Delete","params":{}}]' });
      expect(answer.body.operation_errors).toHaveLength(1);
    });

    it('is nothing less than method, host, path, query and form', async () => {
      const prepared = () => advertiser.api.prepare('PUT', path(), { query: { a: '1' }, form: { name: 'b' } });
      expect((await sendPrepared(prepared())).status).toBe(200);
      for (const change of [
        { method: 'POST', target: `/12/accounts/${advertiser.account.id}/campaigns?a=1` },
        { target: `${path()}?a=2` },
        { target: path() },
        { target: `${path()}?a=1&b=` },
        { body: 'name=c' },
        { body: 'name=b&name=b' },
        { body: '' },
      ]) {
        expect(await sendPrepared({ ...prepared(), ...change })).toMatchObject(unauthorised());
      }
    });
  });

  /** Straight to an application: a balancer would make its own of Host and target. */
  async function directly(uri: string, target: string, headers: Record<string, string> = {}): Promise<number> {
    const pairs = protocol(advertiser.credentials);
    const signed = signature('GET', uri, pairs, advertiser.credentials);
    const authorization = header([...pairs, ['oauth_signature', signed]]);
    return (await send(world().direct, target, { method: 'GET', headers: { authorization, ...headers } })).status;
  }

  describe('the URL that is signed', () => {
    it('is the one the client used, outside production under whatever name', async () => {
      expect(await directly(`http://marquee.example${path()}`, path(), { host: 'marquee.example' })).toBe(200);
      expect(await directly(`http://marquee.example${path()}`, path(), { host: 'MARQUEE.example' })).toBe(200);
      expect(await directly(`http://other.example${path()}`, path(), { host: 'marquee.example' })).toBe(401);
      expect(await directly(`https://marquee.example${path()}`, path(), { host: 'marquee.example' })).toBe(401);
    });

    it('has its port unless it is the default one', async () => {
      expect(await directly(`http://marquee.example:8080${path()}`, path(), { host: 'marquee.example:8080' })).toBe(
        200,
      );
      expect(await directly(`http://marquee.example${path()}`, path(), { host: 'marquee.example:8080' })).toBe(401);
      expect(await directly(`http://marquee.example${path()}`, path(), { host: 'marquee.example:80' })).toBe(200);
      expect(await directly(`http://marquee.example:443${path()}`, path(), { host: 'marquee.example:443' })).toBe(200);
    });

    it('may be the target, as proxies are sent it', async () => {
      const { host } = new URL(world().direct);
      expect(await directly(`${world().direct}${path()}`, `${world().direct}${path()}`, { host })).toBe(200);
    });
  });

  describe('refused', () => {
    it('are timestamps more than 300 seconds away', async () => {
      world().clock.set(new Date('2027-05-05T05:05:05Z'));
      const at = (offset: number) => changed({ oauth_timestamp: String(world().clock.seconds() + offset) });
      for (const offset of [-300, -299, 0, 299, 300]) expect((await at(offset)).status).toBe(200);
      for (const offset of [-301, 301, -86_400, 86_400]) {
        expect(await at(offset)).toMatchObject(unauthorised('timestamp out of bounds'));
      }
      for (const oauth_timestamp of ['', '0', '-1', '1.5', 'now', '1e10', '９', `${'9'.repeat(400)}`]) {
        expect(await changed({ oauth_timestamp })).toMatchObject(unauthorised());
      }
    });

    it('are nonces that were used, by the same token in the same second', async () => {
      const oauth_nonce = randomBytes(8).toString('hex');
      const oauth_timestamp = String(world().clock.seconds());
      expect((await changed({ oauth_nonce, oauth_timestamp })).status).toBe(200);
      expect(await changed({ oauth_nonce, oauth_timestamp })).toMatchObject(unauthorised('the nonce was used before'));
      const earlier = String(Number(oauth_timestamp) - 1);
      expect((await changed({ oauth_nonce, oauth_timestamp: earlier })).status).toBe(200);
      const other = await given.member(advertiser.account, 'ANALYST');
      expect((await changed({ oauth_nonce, oauth_timestamp }, other.credentials)).status).toBe(200);
    });

    it('are requests that were sent before, whatever happened to them', async () => {
      const read = advertiser.api.prepare('GET', path());
      expect((await sendPrepared(read)).status).toBe(200);
      expect((await sendPrepared(read)).status).toBe(401);
      const invalid = advertiser.api.prepare('GET', `${path()}/campaigns`, { query: { count: 0 } });
      expect((await sendPrepared(invalid)).status).toBe(400);
      expect((await sendPrepared(invalid)).status).toBe(401);
    });

    it('are wrong signatures, which use up no nonce', async () => {
      const right = advertiser.api.prepare('GET', path());
      const { authorization: value } = right.headers;
      const text = /oauth_signature="([^"]+)"/.exec(value)![1];
      for (const wrong of [
        text.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
        text.replace(/%3D$/, ''),
        `${text}%20`,
        '',
        'x'.repeat(2_000),
      ]) {
        const headers = { authorization: value.replace(text, wrong) };
        expect(await sendPrepared({ ...right, headers })).toMatchObject(unauthorised());
      }
      expect((await sendPrepared(right)).status).toBe(200);
    });

    it('are unknown consumers, wrong secrets and tokens of other applications, all alike', async () => {
      const { consumer, token } = advertiser.credentials;
      const other = await given.client({ application: await given.application() });
      for (const credentials of [
        { consumer: { key: 'nobodyknowsthis', secret: consumer.secret }, token },
        { consumer: { key: consumer.key, secret: `${consumer.secret}x` }, token },
        { consumer, token: { key: token.key, secret: `${token.secret}x` } },
        { consumer, token: { key: token.key, secret: '' } },
        { consumer: other.credentials.consumer, token },
        { consumer, token: other.credentials.token },
      ]) {
        const answer = await changed({}, credentials);
        expect(answer).toMatchObject(unauthorised());
        expect(answer.body.errors[0].details).toBeUndefined();
      }
    });

    it('are unknown and revoked tokens, with code 89', async () => {
      const { consumer } = advertiser.credentials;
      expect(await changed({}, { consumer, token: { key: '12345-unknowntoken', secret: 'x' } })).toMatchObject(
        invalidToken,
      );
      const gone = await given.member(advertiser.account, 'ACCOUNT_ADMIN');
      expect((await changed({}, gone.credentials)).status).toBe(200);
      await given.revokedToken(gone);
      expect(await changed({}, gone.credentials)).toMatchObject(invalidToken);
    });

    it('are other methods and versions, by name', async () => {
      for (const oauth_signature_method of ['HMAC-SHA256', 'PLAINTEXT', 'RSA-SHA1', 'hmac-sha1']) {
        expect(await changed({ oauth_signature_method })).toMatchObject(
          unauthorised(`oauth_signature_method must be HMAC-SHA1, not ${oauth_signature_method}`),
        );
      }
      for (const oauth_version of ['1.1', '2.0', '1']) {
        expect(await changed({ oauth_version })).toMatchObject(unauthorised(expect.stringContaining('oauth_version')));
      }
      expect((await changed({ oauth_version: undefined })).status).toBe(200);
    });

    it('are requests without one of the parameters, by name', async () => {
      for (const name of [
        'oauth_consumer_key',
        'oauth_nonce',
        'oauth_signature_method',
        'oauth_timestamp',
        'oauth_token',
      ]) {
        expect(await changed({ [name]: undefined })).toMatchObject(unauthorised(`${name} is missing`));
        expect(await changed({ [name]: '' })).toMatchObject(unauthorised(`${name} is missing`));
      }
      const unsigned = header(protocol(advertiser.credentials));
      expect(await send(world().url, path(), { method: 'GET', headers: { authorization: unsigned } })).toMatchObject(
        unauthorised('oauth_signature is missing'),
      );
    });

    it('are nonces that are not ASCII, or longer than 255 characters', async () => {
      expect((await changed({ oauth_nonce: 'x'.repeat(255) })).status).toBe(200);
      for (const oauth_nonce of ['x'.repeat(256), 'é', '\n', '\u0000', '☃'.repeat(10)]) {
        expect(await changed({ oauth_nonce })).toMatchObject(unauthorised(expect.stringContaining('oauth_nonce')));
      }
    });

    it('are keys and tokens that are not printable ASCII', async () => {
      for (const name of ['oauth_consumer_key', 'oauth_token', 'oauth_verifier']) {
        for (const text of ['a\nb', '\r', 'a\0b', '\0', 'é', '☃', 'a b', '\x7f', '\u2028']) {
          const refused = unauthorised(`${name} must be printable ASCII characters`);
          expect(await changed({ [name]: text })).toMatchObject(refused);
          const pairs = { ...protocol(advertiser.credentials), oauth_signature: 'x', [name]: text };
          const body = new URLSearchParams(pairs).toString();
          expect(await send(world().url, `${path()}?${body}`, { method: 'GET' })).toMatchObject(refused);
          const sent = { method: 'PUT', headers: { 'content-type': FORM }, body };
          expect(await send(world().url, path(), sent)).toMatchObject(refused);
        }
      }
    });

    it('are headers that cannot be read', async () => {
      for (const value of [
        'OAuth',
        'OAuth ',
        'OAuth nonsense',
        'OAuth oauth_token="x',
        'OAuth oauth_token=%zz',
        `OAuth ${'a="b",'.repeat(100)}`,
        `OAuth oauth_nonce="${'x'.repeat(9_000)}"`,
        'Basic eDp5',
        'Digest x',
        'Bearerx',
        ',',
      ]) {
        expect(await send(world().url, path(), { method: 'GET', headers: { authorization: value } })).toMatchObject(
          unauthorised(),
        );
      }
    });

    it('say in which header credentials are wanted', async () => {
      const { headers } = await changed({ oauth_token: 'x' });
      expect(headers['www-authenticate']).toMatch(/^OAuth realm=/);
    });
  });

  it('signs like the library that the other suites use', () => {
    const pairs = protocol(advertiser.credentials, { oauth_nonce: 'abc', oauth_timestamp: '1800000000' });
    const theirs = authorization(
      advertiser.credentials,
      'POST',
      `${url()}?b=2&a=1%2C`,
      { c: 'x y' },
      { timestamp: 1_800_000_000, nonce: 'abc' },
    );
    const ours = signature('POST', url(), [...pairs, ['b', '2'], ['a', '1,'], ['c', 'x y']], advertiser.credentials);
    expect(theirs).toContain(`oauth_signature="${escape(ours)}"`);
  });

  describe('the URL that is signed, behind no proxy', () => {
    useApp({}, 1);
    beforeAll(async () => {
      advertiser = await given.advertiser();
    });

    it('is not what a client says was forwarded', async () => {
      const claims: Record<string, string>[] = [
        { 'x-forwarded-host': 'ads.example' },
        { 'x-forwarded-host': 'ads.example', 'x-forwarded-proto': 'https' },
        { forwarded: 'host=ads.example' },
      ];
      for (const headers of claims) {
        expect(await directly(`http://ads.example${path()}`, path(), headers)).toBe(401);
        expect(await directly(`https://ads.example${path()}`, path(), headers)).toBe(401);
      }
    });

    it('gets a hint about TRUST_PROXY where a proxy says what was signed', async () => {
      const pairs = protocol(advertiser.credentials);
      const signed = signature('GET', `https://ads.example${path()}`, pairs, advertiser.credentials);
      const answer = await send(world().direct, path(), {
        method: 'GET',
        headers: {
          authorization: header([...pairs, ['oauth_signature', signed]]),
          'x-forwarded-host': 'Ads.example',
          'x-forwarded-proto': 'https',
        },
      });
      expect(answer.body.errors[0].hint).toMatch(
        /signed for https:\/\/ads\.example, as X-Forwarded-Host .* set TRUST_PROXY/,
      );
    });
  });
});

describe('signing libraries', () => {
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
});

describe('errors', () => {
  const told = ({ status, body }: Answer) => [status, body.errors[0].code, body.errors[0].message];
  const oob = { oauth_callback: 'oob' };
  const post = (path: string, headers: Record<string, string> = {}, body?: string) =>
    send(world().url, path, { method: 'POST', headers, body });

  describe('requests that are signed wrongly', () => {
    it.each(['/oauth/request_token', '/oauth/access_token', '/1.1/oauth/invalidate_token'])(
      '%s without credentials: 400 code 215',
      async (path) => {
        expect(told(await post(path))).toEqual([400, 215, 'Bad authentication data']);
      },
    );

    it('a wrong signature: 401 code 32', async () => {
      const { consumer } = await application();
      const answer = await requestToken({ ...consumer, secret: 'wrong' });
      expect(told(answer)).toEqual([401, 32, 'Could not authenticate you']);
      expect(answer.headers['www-authenticate']).toMatch(/^OAuth/);
    });

    it('an unknown consumer key: 401 code 32', async () => {
      expect(told(await requestToken({ key: 'nobody', secret: 'x' })).slice(0, 2)).toEqual([401, 32]);
    });

    it('a request token with the secret of another: 401 code 32', async () => {
      const { consumer } = await application();
      const [one, other] = [pairOf(await requestToken(consumer)), pairOf(await requestToken(consumer))];
      const mixed = { key: one.key, secret: other.secret };
      expect(told(await accessToken(consumer, mixed, '1234567')).slice(0, 2)).toEqual([401, 32]);
    });

    it('a request token of another application: 401 code 32', async () => {
      const [one, other] = [await application(), await application()];
      const token = pairOf(await requestToken(one.consumer));
      expect(told(await accessToken(other.consumer, token, '1234567')).slice(0, 2)).toEqual([401, 32]);
    });

    it.each([-301, 301])('a timestamp %i seconds away: 401 code 135', async (seconds) => {
      const { consumer } = await application();
      // or 301 seconds may be 300 when it arrives
      world().clock.set(world().clock.now());
      const timestamp = world().clock.seconds() + seconds;
      expect(told(await requestToken(consumer, 'oob', { timestamp }))).toEqual([401, 135, 'Timestamp out of bounds.']);
    });

    it('a nonce that was used: 401 code 32, on every signed endpoint', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const first = preparePost('/oauth/request_token', { consumer, oauth: oob });
      const token = pairOf(await sendPrepared(first));
      expect(told(await sendPrepared(first)).slice(0, 2)).toEqual([401, 32]);
      await visitor.decide(token.key);
      const nonce = 'once-and-never-again';
      await accessToken(consumer, token, '0000000', { nonce });
      expect(told(await accessToken(consumer, token, '0000000', { nonce })).slice(0, 2)).toEqual([401, 32]);
    });

    it('another signature method or version, a non-ASCII nonce: 401 code 32, and the details name it', async () => {
      const { consumer } = await application();
      for (const [name, value] of [
        ['oauth_signature_method', 'PLAINTEXT'],
        ['oauth_version', '2.0'],
        ['oauth_nonce', 'n%C3%B6nce'],
      ]) {
        const { target, headers, ...wire } = preparePost('/oauth/request_token', { consumer, oauth: oob });
        const authorization = headers.authorization.replace(new RegExp(`${name}="[^"]*"`), `${name}="${value}"`);
        const answer = await send(world().url, target, { ...wire, headers: { authorization } });
        expect(told(answer).slice(0, 2)).toEqual([401, 32]);
        expect(answer.body.errors[0].details).toContain(name);
      }
    });

    it('a valid bearer where a user is needed: 403 code 220; an unknown one: 401 code 89; a malformed one: 400 code 215', async () => {
      const { id } = await application();
      const withBearer = async (bearer: string) =>
        told(await post('/1.1/oauth/invalidate_token', { authorization: `Bearer ${bearer}` }));
      const valid = await world().get(BearersService).issue(id);
      expect(await withBearer(valid)).toEqual([403, 220, 'Your credentials do not allow access to this resource']);
      expect(await withBearer('abcdefghijklmnop')).toEqual([401, 89, 'Invalid or expired token']);
      for (const malformed of ['', 'two words']) expect((await withBearer(malformed)).slice(0, 2)).toEqual([400, 215]);
    });

    it('an access token that is unknown or revoked: 401 code 89', async () => {
      const client = await given.client();
      await given.revokedToken(client);
      for (const token of [client.credentials.token, { key: '1-nobody', secret: 'x' }]) {
        const answer = await signedPost('/1.1/oauth/invalidate_token', {
          consumer: client.credentials.consumer,
          token,
        });
        expect(told(answer)).toEqual([401, 89, 'Invalid or expired token']);
      }
    });

    it('an unknown path of the family: 404 code 34; a wrong method: 405 code 34 with Allow', async () => {
      expect(told(await post('/oauth/nothing'))).toEqual([404, 34, 'Sorry, that page does not exist']);
      const answer = await send(world().url, '/oauth/request_token', { method: 'GET' });
      expect(told(answer).slice(0, 2)).toEqual([405, 34]);
      expect(answer.headers.allow).toBe('POST');
    });

    it('a body in another form than the endpoint takes, broken or not: 415 with a number for a code', async () => {
      expect(told(await post('/oauth2/token', { 'content-type': 'application/json' }, '{')).slice(0, 2)).toEqual([
        415, 214,
      ]);
      expect(told(await post('/oauth2/token', { 'content-type': 'text/xml' }, '<a/>')).slice(0, 2)).toEqual([415, 214]);
    });
  });

  describe('oauth/request_token', () => {
    it('no oauth_callback: 403 code 38', async () => {
      const { consumer } = await application();
      const answer = await signedPost('/oauth/request_token', { consumer });
      expect(told(answer)).toEqual([403, 38, 'oauth_callback parameter is missing']);
    });

    it.each([
      'https://client.example/other',
      'https://client.example/back/',
      'http://client.example/back',
      'https://client.example:8443/back',
      'https://evil.example/back',
      'https://client.example/back#fragment',
      'https://user@client.example/back',
      'OOB',
    ])('the callback %s, which is not registered: 403 code 415', async (callback) => {
      const { consumer } = await application();
      const answer = await requestToken(consumer, callback);
      expect(told(answer).slice(0, 2)).toEqual([403, 415]);
      expect(answer.body.errors[0].message).toContain('Callback URL not approved for this client application.');
    });

    it('a callback for a desktop application: 401 code 417', async () => {
      const { consumer } = await application({ desktop: true });
      const answer = await requestToken(consumer, CALLBACK);
      expect(told(answer)).toEqual([401, 417, "Desktop applications only support the oauth_callback value 'oob'"]);
      expect((await requestToken(consumer)).status).toBe(200);
    });

    it('platform_auth_access_type that is neither read nor write: 400 code 214', async () => {
      const { consumer } = await application();
      const answer = await requestToken(consumer, 'oob', { query: { platform_auth_access_type: 'admin' } });
      expect(told(answer).slice(0, 2)).toEqual([400, 214]);
    });

    it('x_auth_access_type, its other name, is checked alike, and must not contradict it', async () => {
      const { consumer } = await application();
      const asking = async (query: Record<string, string>, oauth: Record<string, string> = {}) =>
        told(await requestToken(consumer, 'oob', { query, oauth: { oauth_callback: 'oob', ...oauth } }));
      expect(await asking({ x_auth_access_type: 'admin' })).toEqual([
        400,
        214,
        'x_auth_access_type must be read or write, not "admin"',
      ]);
      expect(await asking({ platform_auth_access_type: 'write', x_auth_access_type: 'read' })).toEqual([
        400,
        214,
        'platform_auth_access_type=write and x_auth_access_type=read contradict each other: send only one of them, or the same value for both',
      ]);
    });

    it('an oauth_token where there cannot be one yet: 401 code 32; an empty one is none', async () => {
      const { consumer } = await application();
      const answer = await requestToken(consumer, 'oob', { token: { key: 'some', secret: '' } });
      expect(told(answer).slice(0, 2)).toEqual([401, 32]);
      const empty = await requestToken(consumer, 'oob', { oauth: { oauth_callback: 'oob', oauth_token: '' } });
      expect(empty.status).toBe(200);
    });
  });

  describe('oauth/access_token', () => {
    const wrong = [401, 32, 'Error processing your OAuth request: Invalid oauth_verifier parameter'];

    it('no oauth_token: 401, Request token missing', async () => {
      const { consumer } = await application();
      const answer = await signedPost('/oauth/access_token', { consumer, oauth: { oauth_verifier: '1234567' } });
      expect(told(answer)).toEqual([401, 32, 'Request token missing']);
    });

    it('an unknown request token: 401 code 89, Invalid / expired Token', async () => {
      const { consumer } = await application();
      const answer = await accessToken(consumer, { key: 'nothing', secret: 'x' }, '1234567');
      expect(told(answer)).toEqual([401, 89, 'Invalid / expired Token']);
    });

    it('no verifier, a wrong one, or nobody approved yet: 401, Invalid oauth_verifier parameter', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      expect(told(await accessToken(consumer, token, '1234567'))).toEqual(wrong);
      await visitor.decide(token.key);
      expect(told(await signedPost('/oauth/access_token', { consumer, token }))).toEqual(wrong);
      expect(told(await accessToken(consumer, token, 'wrong'))).toEqual(wrong);
      expect((await accessToken(consumer, token, visitor.pin)).status).toBe(200);
    });

    it('a verifier that was used: 401 code 89, and the access token stays', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      await visitor.decide(token.key);
      const first = await accessToken(consumer, token, visitor.pin);
      expect(told(await accessToken(consumer, token, visitor.pin))).toEqual([401, 89, 'Invalid / expired Token']);
      expect((await new Api({ consumer, token: pairOf(first) }).get('/12/accounts')).status).toBe(200);
    });

    it('five wrong verifiers void the token: then the right one is refused', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      await visitor.decide(token.key);
      const { pin } = visitor;
      for (let i = 0; i < 5; i++) expect(told(await accessToken(consumer, token, 'wrong'))).toEqual(wrong);
      expect(told(await accessToken(consumer, token, pin))).toEqual([401, 89, 'Invalid / expired Token']);
    });

    it('four wrong verifiers do not', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      await visitor.decide(token.key);
      for (let i = 0; i < 4; i++) await accessToken(consumer, token, 'wrong');
      expect((await accessToken(consumer, token, visitor.pin)).status).toBe(200);
    });

    it('after fifteen minutes: 401 code 89', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      await visitor.decide(token.key);
      world().clock.advance(15 * 60_000 + 1000);
      expect(told(await accessToken(consumer, token, visitor.pin)).slice(0, 2)).toEqual([401, 89]);
    });

    it('a user who was suspended meanwhile: 401 code 89', async () => {
      const { consumer } = await application();
      const { user, visitor } = await signedIn();
      const token = pairOf(await requestToken(consumer));
      await visitor.decide(token.key);
      await world().sql('UPDATE users SET "suspendedAt" = now() WHERE id = $1', user.id);
      expect(told(await accessToken(consumer, token, visitor.pin)).slice(0, 2)).toEqual([401, 89]);
    });

    it('a request token opens nothing else', async () => {
      const { consumer } = await application();
      const token = pairOf(await requestToken(consumer));
      const { status, body } = await new Api({ consumer, token }).get('/12/accounts');
      expect([status, body.errors[0].code]).toEqual([401, 89]);
    });
  });

  describe('signature help, outside production', () => {
    it('says what was expected and what differs, and no secret', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await flow(consumer, visitor));
      const answer = await signedPost('/1.1/oauth/invalidate_token', { consumer, token: { ...token, secret: '' } });
      const [{ signature_help: help }] = answer.body.errors;
      expect(help.base_string).toMatch(/^POST&http%3A%2F%2F.+invalidate_token&oauth_consumer_key%3D/);
      expect(help.differs).toContain('token secret');
      for (const secret of [consumer.secret, token.secret]) expect(answer.text).not.toContain(secret);
    });

    it('tells how far the clocks are apart', async () => {
      const { consumer } = await application();
      const timestamp = world().clock.seconds() - 4000;
      const { body } = await requestToken(consumer, 'oob', { timestamp });
      expect(body.errors[0].hint).toMatch(/is 400\d seconds behind the clock of this server/);
    });

    it('stands on advertising endpoints too', async () => {
      const { consumer } = await application();
      const { visitor } = await signedIn();
      const token = pairOf(await flow(consumer, visitor));
      const { body } = await new Api({ consumer: { ...consumer, secret: 'wrong' }, token }).get('/12/accounts');
      expect(body.errors[0]).toMatchObject({
        code: 'UNAUTHORIZED_ACCESS',
        signature_help: { base_string: expect.any(String) },
      });
    });
  });

  describe('help with keys, outside production', () => {
    it('finds the secret of an application where its key belongs, without a token', async () => {
      const { consumer } = await application();
      const { body, text } = await requestToken({ key: consumer.secret, secret: consumer.key });
      expect(body.errors[0].hint).toMatch(
        /^oauth_consumer_key has the consumer secret\. .* the consumer key was used as the consumer secret\.$/,
      );
      expect(text).not.toContain(consumer.secret);
    });

    it('repeats nothing that may be a secret', async () => {
      const secret = 'a'.repeat(50);
      const { body, text } = await requestToken({ key: secret, secret: 'x' });
      expect(body.errors[0].hint).toMatch(/^The consumer key "aaaa"\.\.\. is unknown/);
      expect(text).not.toContain(secret);
    });

    it('says whether a token was revoked, or its user suspended', async () => {
      const hintFor = async (client: Awaited<ReturnType<typeof given.client>>) =>
        (await new Api(client.credentials).get('/12/accounts')).body.errors[0].hint;
      const revoked = await given.client();
      await given.revokedToken(revoked);
      expect(await hintFor(revoked)).toContain('the oauth_token was revoked.');
      const suspended = await given.client();
      await world().sql('UPDATE users SET "suspendedAt" = now() WHERE id = $1', suspended.user.id);
      expect(await hintFor(suspended)).toContain('the user of the oauth_token is suspended.');
    });

    it('guesses that key and secret are exchanged in Authorization: Basic', async () => {
      const { consumer } = await application();
      const basic = (key: string, secret: string) =>
        post('/oauth2/token', {
          authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        });
      const hint = async (key: string, secret: string) => (await basic(key, secret)).body.errors[0].hint;
      expect(await hint(consumer.secret, consumer.key)).toContain('were they exchanged?');
      expect(await hint(consumer.key, `"${consumer.secret}"`)).toContain('One of them has quotes around it.');
    });
  });

  describe('what a person is told', () => {
    it('a deleted application leaves no flow behind', async () => {
      const { id, consumer } = await application();
      const token = pairOf(await requestToken(consumer));
      await world().sql('UPDATE applications SET "deletedAt" = now() WHERE id = $1', id);
      const visitor = await new Visitor().get(`/oauth/authorize?oauth_token=${token.key}`);
      expect(visitor.page.status).toBe(403);
      expect(told(await accessToken(consumer, token, 'x')).slice(0, 2)).toEqual([401, 32]);
    });

    it('callbacks that may not be registered are refused', async () => {
      const applications = world().get(ApplicationsService);
      const { id } = await application();
      for (const callback of ['javascript:alert(1)', 'https://client.example/back?x=1', 'https://client.example/#x'])
        await expect(applications.update(id, { callbacks: [callback] })).rejects.toThrow(/callback/);
      const eleven = Array.from({ length: 11 }, (_, i) => `https://client.example/${i}`);
      await expect(applications.update(id, { callbacks: eleven })).rejects.toThrow(/at most 10/);
    });
  });
});

describe('replay', () => {
  const REQUESTS = FULL ? 1_000 : 200;
  const TIMES = 20;

  describe('a captured request', () => {
    it(`passes once: ${REQUESTS} of them, each sent ${TIMES} times at once`, async () => {
      const advertisers = await Promise.all(Array.from({ length: 5 }, () => given.advertiser()));
      let accepted = 0;
      for (let from = 0; from < REQUESTS; from += 50) {
        const captured = Array.from({ length: 50 }, (_, n) => {
          const { api, account } = advertisers[(from + n) % advertisers.length];
          return n % 2
            ? api.prepare('GET', `/12/accounts/${account.id}`)
            : api.prepare('PUT', `/12/accounts/${account.id}`, { form: { industry_type: 'TRAVEL' } });
        });
        const answers = await Promise.all(
          Array.from({ length: TIMES }, () => captured.map((prepared) => sendPrepared(prepared))).flat(),
        );
        accepted += answers.filter(({ status }) => status === 200).length;
        const refused = answers.filter(({ status }) => status !== 200);
        expect(new Set(refused.map(({ status, body }) => `${status} ${body.errors[0].code}`))).toEqual(
          new Set(['401 UNAUTHORIZED_ACCESS']),
        );
        for (const [n] of captured.entries()) {
          const own = answers.filter((_, at) => at % captured.length === n);
          const taken = own.map(({ status, body }) => (status === 200 ? 'accepted' : body.errors[0].details));
          expect(taken.sort()).toEqual(['accepted', ...Array<string>(TIMES - 1).fill('the nonce was used before')]);
        }
      }
      expect(accepted).toBe(REQUESTS);
    }, 300_000);
  });
});
