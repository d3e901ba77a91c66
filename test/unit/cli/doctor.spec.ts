import {
  clockFinding,
  keysFinding,
  malformedFinding,
  proxyFinding,
  urlsFinding,
} from '../../../src/cli/doctor/checks.js';
import { okFinding, problemInMessage } from '../../../src/cli/doctor/finding.js';
import { baseUrlsOf } from '../../../src/cli/credentials/credentials.js';

const call = (isAccepted: boolean, said = '') => ({ finding: okFinding('signed request', ''), isAccepted, said });

it.each([
  [0.4, 'ok', /^the clock agrees/],
  [-30, 'ok', /^the clock of this machine is 30 seconds behind the service$/],
  [95, 'problem', /is 95 seconds ahead of the service; it accepts signatures within 300 seconds/],
  [undefined, 'skipped', /no date/],
])('a clock that is %p seconds ahead is %s', (ahead, state, found) => {
  expect(clockFinding(ahead)).toMatchObject({ state, found: expect.stringMatching(found) });
});

it('keys that are missing are named, values never', () => {
  const keys = { consumer_key: 'ck', consumer_secret: 'cs', access_token: 'at' };
  expect(keysFinding({ credentials: keys, from: 'keys.json' })).toMatchObject({
    state: 'problem',
    found: 'access_token_secret missing in keys.json',
    remedy: expect.stringContaining('--credentials'),
  });
  const whole = keysFinding({ credentials: { ...keys, access_token_secret: 'ats' }, from: 'keys.json' });
  expect(whole).toMatchObject({ state: 'ok', found: expect.not.stringMatching(/\b(ck|cs|at|ats)\b/) });
});

it('an access token of OAuth 2.0 replaces them', () => {
  const finding = keysFinding({ credentials: { oauth2_access_token: 'secret' }, from: 'the profile browser' });
  expect(finding).toEqual({ check: 'keys', state: 'ok', found: 'oauth2_access_token is in the profile browser' });
});

describe('URLs', () => {
  const version = {
    name: 'marquee',
    version: '1',
    base_url: 'https://ads.example.com',
    ads_base_url: 'https://ads.example.com',
    ads_sandbox_base_url: 'https://ads.example.com/sandbox',
  };
  const urls = (base: string) =>
    baseUrlsOf({ base_url: base, ads_base_url: base, ads_sandbox_base_url: `${base}/sandbox/` });

  it('that are those of the service are fine, with a slash at the end too', () => {
    expect(urlsFinding(urls('https://ads.example.com'), version, false, 'k.json').state).toBe('ok');
  });

  it('need a scheme', () => {
    expect(malformedFinding(urls('localhost:3000'), 'k.json')).toMatchObject({
      state: 'problem',
      found: 'base_url is no http or https URL: localhost:3000',
    });
    expect(malformedFinding(urls('http://localhost:3000'), 'k.json')).toBeUndefined();
  });

  it('that differ are a problem where the request was rejected', () => {
    expect(urlsFinding(urls('https://other.example.com'), version, false, 'k.json')).toMatchObject({
      state: 'problem',
      remedy:
        'set base_url in k.json to https://ads.example.com, or BASE_URL of the service to https://other.example.com if clients call that',
    });
    expect(urlsFinding(urls('https://other.example.com'), version, true, 'k.json').state).toBe('ok');
  });
});

describe('a proxy', () => {
  it('that the service does not trust is a problem', () => {
    const said =
      'the URL was signed for https://a.example, as X-Forwarded-Host says, which is ignored: set TRUST_PROXY';
    expect(proxyFinding(call(false, said))).toMatchObject({
      state: 'problem',
      remedy: expect.stringContaining('TRUST_PROXY'),
    });
    const settings = { BASE_URL: 'https://a.example', TRUST_PROXY: [] };
    expect(proxyFinding(call(true), settings).state).toBe('problem');
    expect(proxyFinding(call(true), { ...settings, TRUST_PROXY: ['127.0.0.1'] }).state).toBe('ok');
    expect(proxyFinding(call(false, 'Could not authenticate you')).state).toBe('skipped');
  });
});

it('the remedy in a message follows its semicolon', () => {
  expect(problemInMessage('service', 'no service listens at X; start it', 'else')).toMatchObject({
    found: 'no service listens at X',
    remedy: 'start it',
  });
  expect(problemInMessage('service', 'the host x does not exist', 'else').remedy).toBe('else');
});
