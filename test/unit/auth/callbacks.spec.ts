import { checkedCallbacks, isApproved, isWeb, withOutcome } from '../../../src/auth/credentials/callbacks.js';

const REGISTERED = [
  'https://client.example/back',
  'https://client.example:8443/',
  'myapp://back',
  'com.example.app:/done',
];

describe('a callback that a request asks for', () => {
  it.each([
    'https://client.example/back',
    'https://client.example/back?a=1&b=%2F',
    'https://client.example/back?next=https://elsewhere.example/',
    'https://client.example/back?',
    'HTTPS://CLIENT.example/back',
    'https://client.example:443/back',
    'https://client.example:8443/',
    'https://client.example:8443',
    'https://client.example:8443?x=1',
    'myapp://back',
    'MYAPP://back?x=1',
    'com.example.app:/done',
  ])('%s is approved', (asked) => {
    expect(isApproved(asked, REGISTERED)).toBe(true);
  });

  // What has opened redirects elsewhere: user parts, slashes, encodings, dots, ports, other alphabets, control characters.
  it.each([
    'https://client.example/back/',
    'https://client.example/Back',
    'https://client.example/back/more',
    'https://client.example/backdoor',
    'https://client.example/',
    'https://client.example',
    'https://client.example/back/../evil',
    'https://client.example/evil/../back',
    'https://client.example/./back',
    'https://client.example/%62ack',
    'https://client.example/back%2f..%2fevil',
    'https://client.example/back%00',
    'https://client.example//back',
    'https://client.example/back;evil',
    'https://client.example/back#',
    'https://client.example/back#@evil.example',
    'https://client.example/back?x#y',
    'http://client.example/back',
    'https://client.example:8443/back',
    'https://client.example:80/back',
    'https://client.example:0443x/back',
    'https://client.example.evil.example/back',
    'https://evil.example/client.example/back',
    'https://evil-client.example/back',
    'https://client.example./back',
    'https://sub.client.example/back',
    'https://client.example@evil.example/back',
    'https://client.example:pw@evil.example/back',
    'https://evil.example@client.example/back',
    'https://@client.example/back',
    'https://client.example%40evil.example/back',
    'https://client.example\\@evil.example/back',
    'https://client.example\\.evil.example/back',
    'https:\\\\client.example\\back',
    'https:/client.example/back',
    'https:client.example/back',
    'https:///client.example/back',
    '//client.example/back',
    '/back',
    'back',
    '',
    ' https://client.example/back',
    'https://client.example/back ',
    'https://client.example/back\r\nLocation: https://evil.example',
    'https://client.example/back%',
    'https://client.example/back%0',
    'https://client.example/ba\tck',
    'ht\ttps://client.example/back',
    'https://client.example/back\u0000',
    'https://client。example/back',
    'https://ｃlient.example/back',
    'https://clıent.example/back',
    'https://client.example\u2044back',
    'https://client.example/back\u202e',
    'https://[client.example]/back',
    'https://client.example:99999/back',
    'https://client.example:/back',
    'https://0x7f.1/back',
    'https://2130706433/back',
    'javascript:alert(1)//client.example/back',
    'javascript://client.example/back%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'view-source:https://client.example/back',
    'blob:https://client.example/back',
    'myapp://back/',
    'myapp://other',
    'myapp:back',
    'myapp://back@evil',
    'myapp://user@back',
    'myapp://back#x',
    'com.example.app:/done/../x',
    'com.example.app://done',
    'intent://back#Intent;scheme=https;end',
    'https://client.example/"><script>',
    `https://client.example/back?${'x'.repeat(3000)}`,
  ])('%j is not', (asked) => {
    expect(isApproved(asked, REGISTERED)).toBe(false);
  });

  it('is not approved by nothing', () => {
    expect(isApproved('https://client.example/back', [])).toBe(false);
  });
});

describe('a callback that an application registers', () => {
  const FORBIDDEN =
    'vbscript javascript vbs data mocha keyword livescript ftp file gopher acrobat callto daap itpc itms firefoxurl hcp ldap mailto mmst mmsu msbd rtsp mso-offdap snews news nntp outlook stssync rlogin telnet tn3270 shell sip';

  it.each(FORBIDDEN.split(' '))('cannot have the scheme %s, in whatever case', (scheme) => {
    for (const each of [scheme, scheme.toUpperCase()])
      expect(() => checkedCallbacks([`${each}://somewhere`])).toThrow(/scheme/);
  });

  it.each([
    ['https://client.example/back?x=1', /query/],
    ['https://client.example/back#x', /fragment/],
    ['https://me@client.example/back', /user/],
    ['https://client.example/../back', /dot segments/],
    ['https://client.example/%2e%2e/back', /dot segments/],
    ['https://client.example/a b', /characters/],
    ['client.example/back', /absolute URL/],
    ['https://2130706433/back', /browsers/],
  ])('cannot be %s', (callback, problem) => {
    expect(() => checkedCallbacks([callback])).toThrow(problem);
  });

  it.each([
    'http://127.0.0.1:8080/back',
    'http://localhost:3000/demo/callback',
    'http://[::1]:8080/',
    'https://a.example',
    'app:/x',
  ])('can be %s', (callback) => {
    expect(checkedCallbacks([callback])).toEqual([callback]);
    expect(isApproved(`${callback}?x=1`, [callback])).toBe(true);
  });

  it('comes once, among at most ten', () => {
    expect(checkedCallbacks(['app:/x', 'app:/x'])).toEqual(['app:/x']);
    expect(() => checkedCallbacks(Array.from({ length: 11 }, (_, i) => `app:/${i}`))).toThrow(/at most 10/);
  });
});

describe('the way back', () => {
  it('keeps the query that is there', () => {
    const outcome = { oauth_token: 'a', oauth_verifier: 'b' };
    expect(withOutcome('https://c.example/x', outcome)).toBe('https://c.example/x?oauth_token=a&oauth_verifier=b');
    expect(withOutcome('https://c.example/x?s=1', outcome)).toBe(
      'https://c.example/x?s=1&oauth_token=a&oauth_verifier=b',
    );
    expect(withOutcome('app:x?', { denied: 'a' })).toBe('app:x?denied=a');
    expect([isWeb('HTTP://x'), isWeb('https:x'), isWeb('httpx://x'), isWeb('app:/x')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
