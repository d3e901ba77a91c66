import { randomBytes } from 'node:crypto';
import { useApp, world } from '../../support/app.js';
import { authorization, sendPrepared } from '../../support/api.js';
import { given, type Advertiser } from '../../support/given.js';
import { send, type Answer } from '../../support/http.js';
import { escape, header, protocol, query, quoted, signature, type Pair } from '../../support/signing.js';

useApp();

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
    ['with lower-case escapes', (pairs) => header(pairs).replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase())],
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
    expect(await directly(`http://marquee.example:8080${path()}`, path(), { host: 'marquee.example:8080' })).toBe(200);
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
        unauthorised(expect.stringContaining('oauth_signature_method')),
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
});
