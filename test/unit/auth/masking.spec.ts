import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  isUpload,
  maskBaseString,
  maskHeaders,
  maskText,
  maskValue,
  PERSONAL_NAMES,
} from '../../../src/auth/masking.js';

describe('masking', () => {
  it.each([
    ['{"access_token":"abc","name":"token"}', '{"access_token":"***","name":"token"}'],
    ['{"a":{"client_secret" : "x\\"y"},"next_token":"n"}', '{"a":{"client_secret":"***"},"next_token":"n"}'],
    ['{"secret":{"a":[1,"x"]},"Pass-Word":7,"apiKey":null}', '{"secret":"***","Pass-Word":"***","apiKey":"***"}'],
    ['{"text":"{\\"password\\":1}"}', '{"text":"{\\"password\\":\\"***\\"}"}'],
    ['{"url":"https://jane:pass@a.example/hook?token=t&x=1"}', '{"url":"https://***@a.example/hook?token=***&x=1"}'],
    ['url=https%3A%2F%2F7%3Ap%2540ss%40a.example%2F&x=1', 'url=https%3A%2F%2F***%40a.example%2F&x=1'],
    ['{"name":"Jane jane@mail.example, j%40mail.example"}', '{"name":"Jane ***, ***"}'],
    [`{"name":"of ${'0a'.repeat(32)}"}`, '{"name":"of ***"}'],
    ['{"note":"Authorization: Bearer abcdefgh1234, Basic YWJjOmRlZg=="}', '{"note":"Authorization: ***, Basic ***"}'],
    ['{"note":"OAuth oauth_token=\\"a b\\", x=\\"y\\""}', '{"note":"OAuth ***, x=\\"y\\""}'],
    ['password="a b" and x=1', 'password=*** and x=1'],
    ['my password: hunter2, PIN: 1234, note: x', 'my password: ***, PIN: ***, note: x'],
    ['mail=a&pin=12&otp=3&phones[]=1&option=2', 'mail=***&pin=***&otp=***&phones[]=***&option=2'],
    ['Authorization: Bearer abcdefghijklmnopqrstuvwxyz', 'Authorization: ***'],
    ['with Bearer abcdefghijklmnopqrstuvwxyz', 'with Bearer ***'],
    ['Authorization: OAuth oauth_token="a b"', 'Authorization: OAuth ***'],
    ['phones[0]=1&phones%5B%5D=2', 'phones[0]=***&phones%5B%5D=***'],
    ['sent {"password": "x", "a": 1} to //u:p@a.example/', 'sent {"password": "***", "a": 1} to //***@a.example/'],
    // a long response of which the beginning is kept
    ['{"data":[{"id":"1","secret":"abc', '{"data":[{"id":"1","secret":"***"'],
    ['{"data":[{"secret":[1,2,{"a":"b"}],"x":"y', '{"data":[{"secret":"***"'],
    ['{"a":{"b":{"token":12},"c":1},"d":"e', '{"a":{"b":{"token":"***"},"c":1},"d":"e'],
    // what only looks like it
    [
      '{"name":"The secret of Basic English","next_token":"n"}',
      '{"name":"The secret of Basic English","next_token":"n"}',
    ],
    ['{"details":"Authorization must be Basic or Bearer"}', '{"details":"Authorization must be Basic or Bearer"}'],
    ['oauth_token=t&oauth_token_secret=s&user_id=1', 'oauth_token=***&oauth_token_secret=***&user_id=1'],
    ['[{"password":"p"}]', '[{"password":"***"}]'],
    [
      '{"base_string":"GET&a&count%3D1%26oauth_token%3Dt-1%26x%3D1"}',
      '{"base_string":"GET&a&count%3D1%26oauth_token%3D***%26x%3D1"}',
    ],
    ['{"data":[]}', '{"data":[]}'],
    ['{"tokens":["t"],"access_tokens":{"a":1}}', '{"tokens":"***","access_tokens":"***"}'],
    [
      '{"token[]":"t","pwd":"p","jwt":"j","access_key":"k"}',
      '{"token[]":"***","pwd":"***","jwt":"***","access_key":"***"}',
    ],
    ['{"phone":"1","next_token":"n"}', '{"phone":"***","next_token":"n"}'],
    ['{"device_ip_address":"203.0.113.7","level":1}', '{"device_ip_address":"***","level":1}'],
    ['hashed_device_id=raw&extra_device_ids=a&level=1', 'hashed_device_id=***&extra_device_ids=***&level=1'],
    ['twclid=2-abc&twpid=p&x=1', 'twclid=***&twpid=***&x=1'],
    ['ip_address=203.0.113.7&x=1', 'ip_address=***&x=1'],
    ['{"request":{"params":{"tax_id":"GB1","x":1}}}', '{"request":{"params":{"tax_id":"***","x":1}}}'],
    ['tax_exemption_id=1&x=1', 'tax_exemption_id=***&x=1'],
  ])('replaces the secrets of %s', (text, expected) => {
    expect(maskText(text)).toBe(expected);
  });

  it('replaces the secrets of a base string', () => {
    const text = 'POST&http%3A%2F%2Fa&name%3Dx%26oauth_token%3Dt%26oauth_verifier%3D12%26x_auth_password%3Dp%2520q';
    expect(maskBaseString(text)).toBe(
      'POST&http%3A%2F%2Fa&name%3Dx%26oauth_token%3D***%26oauth_verifier%3D***%26x_auth_password%3D***',
    );
  });

  it('replaces what gives itself away in a base string', () => {
    const text = 'POST&http%3A%2F%2Fa&url%3D%2520https%253A%252F%252Fj%253Ap%2540a.example%252F%26x%3D1';
    expect(maskBaseString(text)).toBe(
      'POST&http%3A%2F%2Fa&url%3D%2520https%253A%252F%252F***%2540a.example%252F%26x%3D1',
    );
  });

  it('replaces the secrets of parameters at any depth, and cuts long values', () => {
    expect(maskValue({ a: [{ secret: 1, b: 'x'.repeat(9) }], token: 't', cursor: null }, { max: 5 })).toEqual({
      a: [{ secret: '***', b: 'xxxxx...' }],
      token: '***',
      cursor: null,
    });
  });

  it.each(PERSONAL_NAMES)('replaces %s by its name alone', (name) => {
    expect([`{"${name}":"v"}`, `${name}=v`, `{"a":{"${name}":"v`].map((text) => maskText(text))).toEqual([
      `{"${name}":"***"}`,
      `${name}=***`,
      `{"a":{"${name}":"***"`,
    ]);
  });

  it('shows nothing of a secret that a cut divides', () => {
    const hash = '0123456789abcdef'.repeat(4);
    for (const separator of ['; ', ', ', ' ', '|', '\n', '"'])
      for (let max = 200; max < 300; max++) {
        const text = `${hash}${separator}`.repeat(20);
        expect(maskValue(text, { max })).not.toMatch(/[0-9a-f]{4}/);
      }
    for (let max = 200; max < 300; max++)
      expect(maskValue('anna.smith@mail.example; '.repeat(40), { max })).not.toContain('anna');
  });

  it('replaces the credentials of headers, and the addresses of people', () => {
    const hidden = ['x-auth', 'x-auth-key', 'x-session', 'mcp-session-id', 'x-api-key', 'cookie', 'x-forwarded-for'];
    const shown = ['x-author', 'mcp-protocol-version', 'accept'];
    expect(maskHeaders([...hidden, ...shown].map((name) => [name, 'abc']))).toEqual({
      ...Object.fromEntries(hidden.map((name) => [name, '***'])),
      ...Object.fromEntries(shown.map((name) => [name, 'abc'])),
    });
  });

  it('hides a value with the name of a secret whatever it is and however deep, and changes nothing else', () => {
    const names = fc.constantFrom(
      'password',
      'client_secret',
      'accessToken',
      'API-Key',
      'email',
      'phone_number',
      'Cookie',
    );
    const inner = fc.jsonValue({ maxDepth: 2 });
    const path = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'data'), fc.nat(2)), { maxLength: 5 });
    const wrapped = (value: unknown, at: (string | number)[]) =>
      at.reduce<unknown>(
        (held, key) => (typeof key === 'number' ? Array(key + 1).fill(held) : { [key]: held, x: 1 }),
        value,
      );
    fc.assert(
      fc.property(names, inner, path, (name, value, at) => {
        const text = JSON.stringify(wrapped({ [name]: value, id: '7' }, at));
        expect(JSON.parse(maskText(text))).toEqual(wrapped({ [name]: '***', id: '7' }, at));
        expect(maskText(maskText(text))).toBe(maskText(text));
      }),
    );
  });

  it('knows every operation that uploads people or files', () => {
    for (const file of ['openapi.json', 'openapi.x.json']) {
      const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, object> };
      const uploads = Object.entries(paths).flatMap(([path, item]) => {
        const bodies = JSON.stringify(
          Object.values(item).map(({ requestBody }: { requestBody?: object }) => requestBody),
        );
        return /multipart|octet-stream|Users"|SendConversions"/.test(bodies) ? [path] : [];
      });
      expect(uploads.length).toBeGreaterThanOrEqual(4);
      const missed = uploads.filter((path) => !isUpload(path.replaceAll(/[{}]/g, '')));
      expect(missed).toEqual([]);
      for (const path of Object.keys(paths)) if (isUpload(path)) expect(uploads).toContain(path);
    }
  });

  it('keeps nothing that a response to an upload repeats', () => {
    const options = { upload: true };
    const text = '{"errors":[{"code":"INVALID","message":"Expected String, got {\\"a\\":1} for users","value":[1]}]}';
    expect(JSON.parse(maskText(text, options))).toEqual({
      errors: [{ code: 'INVALID', message: 'Expected String, got ***', value: '***' }],
    });
  });

  it('knows the path of an upload, with a query and however its letters are encoded', () => {
    expect(isUpload('/12/accounts/a/custom_audiences/b/users?x=1')).toBe(true);
    expect(isUpload('/12/accounts/a/custom%5Faudiences/b/%75sers?x=1')).toBe(true);
    expect(isUpload('/12/accounts/a/custom_audiences/b/%')).toBe(false);
  });

  it('hides the secrets of JSON that is too deep to be written again', () => {
    const deep = `${'['.repeat(6_000)}{"token":"abc"}${']'.repeat(6_000)}`;
    expect(maskText(deep)).not.toContain('abc');
    expect(maskText(JSON.stringify({ name: deep }))).not.toContain('abc');
  });

  it.each([
    '-eyJ',
    '.eyJaaaaaaaa',
    '_eyJaaaaaaaa-',
    'Bearer ',
    'a@',
    '://',
    'a1-',
    'token%3D',
    'oauth_token="',
    '"a":',
  ])('takes a time in proportion to a text of %s', (part) => {
    const fastest = (length: number) => {
      const text = `token${part.repeat(length / part.length)}`;
      const times = Array.from({ length: 5 }, () => {
        const began = performance.now();
        maskText(text);
        return performance.now() - began;
      });
      return Math.min(...times);
    };
    // 32 times the length takes 1,024 times as long where each place is looked at from each other one
    expect(fastest(256_000)).toBeLessThan(200 * fastest(8_000) + 100);
  });
});
