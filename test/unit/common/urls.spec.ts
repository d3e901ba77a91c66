import { NewAccountApp } from '../../../src/accounts/account-apps/account-apps.dto.js';
import { readParams } from '../../../src/common/http/params/params.js';
import { faultOfUrl } from '../../../src/common/http/urls/urls.js';

describe('URLs that people are led to', () => {
  it.each([
    'https://example.com',
    'HTTPS://Example.COM:443/a?b=@c#d',
    'http://example.com:8080/\\x?q=\\',
    'http://127.0.0.1/',
    'http://[::1]:3000/',
    'http://[0:0::1]/',
    'https://bücher.example/',
    'https://BÜCHER.example/',
    'https://xn--bcher-kva.example/',
    'https://example.com:/',
    'shop://offers/1',
    'SHOP:///offers',
    'shop://größe/1',
    'com.example.shop://Offers?next=https://example.com/@x',
  ])('%s is one', (url) => expect(faultOfUrl(url)).toBeUndefined());

  it.each(['javascript', 'JavaScript', 'vbscript', 'file', 'data', 'blob', 'view-source'])(
    '%s: is none that may be followed',
    (scheme) =>
      expect(faultOfUrl(`${scheme}://x/%0aalert(1)`)).toBe(`the scheme ${scheme.toLowerCase()} is not allowed`),
  );

  it.each([
    ['https://evil.example\\@example.com', 'the host must not contain a backslash'],
    ['https://evil.example\\.example.com/', 'the host must not contain a backslash'],
    ['https:\\\\evil.example/', 'it must be an absolute URL, such as https://example.com/offers'],
    ['https:evil.example', 'it must be an absolute URL, such as https://example.com/offers'],
    ['https:///evil.example', 'the host must have the form that browsers use: evil.example'],
    ['https://@evil.example', 'it must not contain a user or a password'],
    ['https://example.com@evil.example/', 'it must not contain a user or a password'],
    ['shop://example.com@evil/', 'it must not contain a user or a password'],
    ['https://ex%61mple.com/', 'the host must have the form that browsers use: example.com'],
    ['https://ｅxample.com/', 'the host must have the form that browsers use: example.com'],
    ['https://example。com/', 'the host must have the form that browsers use: example.com'],
    ['https://exam\u00adple.com/', 'the host must have the form that browsers use: example.com'],
    ['https://0x7f.1/', 'the host must have the form that browsers use: 127.0.0.1'],
    ['https://2130706433/', 'the host must have the form that browsers use: 127.0.0.1'],
    ['https://exa\tmple.com/', 'it must not contain white space or control characters'],
    ['java\nscript:alert(1)', 'it must not contain white space or control characters'],
    ['https://example.com/\u0007', 'it must not contain white space or control characters'],
    ['https://', 'it must be an absolute URL, such as https://example.com/offers'],
    ['https://example.com:99999/', 'it must be an absolute URL, such as https://example.com/offers'],
    ['example.com', 'it must be an absolute URL, such as https://example.com/offers'],
  ])('%j is none', (url, fault) => expect(faultOfUrl(url)).toBe(fault));
});

describe('what links into an app begin with', () => {
  const read = (deep_link_pattern: string) =>
    readParams(NewAccountApp, { os_type: 'iOS', app_store_identifier: '333903271', deep_link_pattern });
  it.each(['coffee://', 'coffee:', 'https://coffee.example/'])('can be %s', (link) =>
    expect(read(link).params).toMatchObject({ deep_link_pattern: link }),
  );
  it.each(['javascript:', 'Data://', 'vbscript:', 'file://'])('cannot be %s', (link) =>
    expect(read(link).refused!.errors.map((error) => error.toBody())).toMatchObject([
      {
        code: 'INVALID_PARAMETER',
        parameter: 'deep_link_pattern',
        value: link,
        details: `the scheme ${link.split(':')[0].toLowerCase()} is not allowed`,
      },
    ]),
  );
});
