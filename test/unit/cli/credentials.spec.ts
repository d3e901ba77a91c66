import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profileName, Profiles } from '../../../src/cli/credentials/profiles.js';
import {
  baseUrlsOf,
  findCredentials,
  type NamedCredentials,
  requiredCredential,
  tokenOf,
} from '../../../src/cli/credentials/credentials.js';
import { readCredentialsEnv, userConfigDir } from '../../../src/cli/environment.js';
import { readConfig } from '../../../src/config/config.js';

const dataDir = mkdtempSync(join(tmpdir(), 'marquee-credentials-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const file = (name: string, content: unknown) => {
  const path = join(dataDir, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const find = (files: string[], env: Record<string, string> = {}, more = {}) =>
  findCredentials(
    { credentials: files },
    { profiles: new Profiles(join(dataDir, 'none')), env, config: () => ({ dataDir }), ...more },
  );

describe('credentials', () => {
  it('are looked for in files, the environment, the data directory', () => {
    expect(() => find([])).toThrow('there are no credentials');
    expect(find([], {}, { optional: true }).credentials).toEqual({});
    file('demo-credentials.json', { consumer_key: 'demo' });
    expect(find([]).credentials.consumer_key).toBe('demo');
    expect(find([], { consumer_key: 'env' })).toEqual({
      credentials: { consumer_key: 'env' },
      from: 'the environment',
    });
    expect(find([file('own.json', { consumer_key: 'own' })], { consumer_key: 'env' }).credentials.consumer_key).toBe(
      'own',
    );
  });

  it('are those of a profile: the one that is named, or the current one where nothing else is', () => {
    const folder = join(dataDir, 'config');
    const profiles = new Profiles(folder);
    const of = (named: NamedCredentials, env: Record<string, string> = {}, home = join(dataDir, 'empty')) =>
      findCredentials(named, { env, config: () => ({ dataDir: home }), profiles });
    expect(() => of({ profile: 'work' })).toThrow(
      'there is no profile work; `marquee login --profile work` creates it',
    );
    profiles.keep('work', { consumer_key: 'work', access_token: 'wt' });
    profiles.keep('play', { consumer_key: 'play' });
    expect(of({})).toEqual({ credentials: { consumer_key: 'play' }, from: 'the profile play', profile: 'play' });
    expect(of({}, { profile: 'work' }).from).toBe('the profile work');
    expect(of({}, { profile: 'work', consumer_key: 'env' }).from).toBe('the environment');
    expect(of({}, {}, dataDir).credentials.consumer_key).toBe('demo');
    const both = of(
      { profile: 'work', credentials: [file('more.json', { consumer_key: 'own' })] },
      { profile: 'play' },
    );
    expect(both.credentials).toEqual({ consumer_key: 'own', access_token: 'wt' });
    profiles.update('browser', { oauth2_access_token: 'at', oauth2_refresh_token: 'rt' });
    const holders = (credentials: object) =>
      of({ profile: 'browser', credentials: [file('over.json', credentials)] }).profile;
    expect([holders({ account_id: 'a' }), holders({ oauth2_refresh_token: 'other' })]).toEqual(['browser', undefined]);
    const bob = { consumer_key: 'ck', access_token: 'bt', access_token_secret: 'bs' };
    expect(of({ profile: 'browser', credentials: [file('bob.json', bob)] }).credentials).toEqual(bob);
    profiles.remove('browser');
    expect(profiles.names()).toEqual(['play', 'work']);
    profiles.remove('play');
    expect([profiles.names(), profiles.current()]).toEqual([['work'], undefined]);
    expect(statSync(profiles.pathOf('work')).mode & 0o777).toBe(0o600);
    expect(() => profileName('../x')).toThrow('the name of a profile must have 1 to 64 letters');
    expect(userConfigDir({ XDG_CONFIG_HOME: '/etc/xdg' })).toBe('/etc/xdg/marquee');
    expect(userConfigDir({ XDG_CONFIG_HOME: 'not/absolute' })).toMatch(/^\/.*\/\.config\/marquee$/);
  });

  it('may be what a token endpoint answered', () => {
    const app = file('app.json', { consumer_key: 'ck' });
    const answer = file('answer.txt', 'oauth_token=12-a%2Fb&oauth_token_secret=s&user_id=12&screen_name=x\n');
    expect(find([app, answer]).credentials).toMatchObject({
      consumer_key: 'ck',
      access_token: '12-a/b',
      user_id: '12',
    });
    expect(tokenOf(find([app]), answer)).toEqual({ key: '12-a/b', secret: 's' });
    expect(tokenOf(find([app]), false)).toBeUndefined();
    expect(() => tokenOf(find([app]))).toThrow('access_token is missing in');
  });

  it('add up over several files, texts only', () => {
    const app = file('app.json', { consumer_key: 'ck', callbacks: ['x'], name: 'app' });
    const token = file('token.json', { access_token: 'at', name: 'token' });
    expect(find([app, token]).credentials).toEqual({ consumer_key: 'ck', access_token: 'at', name: 'token' });
  });

  it('says which file is no good', () => {
    expect(() => find([join(dataDir, 'none.json')])).toThrow('none.json cannot be read');
    expect(() => find([file('broken.json', '{')])).toThrow('broken.json is neither JSON nor');
    expect(() => find([file('list.json', [])])).toThrow('does not contain a JSON object');
  });

  it('says what is missing where', () => {
    const env = { credentials: { consumer_key: 'ck' }, from: 'the environment' };
    expect(requiredCredential(env, 'consumer_key')).toBe('ck');
    expect(() => requiredCredential(env, 'access_token')).toThrow(
      'access_token is missing in the environment (MARQUEE_ACCESS_TOKEN)',
    );
  });

  it('say why tokens of OAuth 2.0 are no keys', () => {
    const browser = { credentials: { oauth2_access_token: 'at' }, from: 'the profile browser' };
    expect(() => requiredCredential(browser, 'consumer_key')).toThrow(
      'consumer_key is missing in the profile browser: it has tokens of OAuth 2.0, but this command signs',
    );
    expect(() => requiredCredential(browser, 'client_id')).toThrow(/^client_id is missing in the profile browser$/);
  });

  it('come from every MARQUEE_ variable that is set', () => {
    const env = { MARQUEE_CONSUMER_KEY: 'ck', MARQUEE_ACCOUNT_ID: 'a', MARQUEE_EMPTY: '', marquee_x: 'x', PORT: '1' };
    expect(readCredentialsEnv(env)).toEqual({ consumer_key: 'ck', account_id: 'a' });
  });
});

describe('public URLs', () => {
  it('are those of the credentials, or of this environment', () => {
    const config = () => readConfig({ PORT: '3210', BASE_URL: 'https://api.example' });
    const bases = baseUrlsOf({ ads_base_url: 'https://ads.example' }, config);
    expect([bases.auth(), bases.ads(), bases.sandbox()]).toEqual([
      'https://api.example',
      'https://ads.example',
      'https://api.example/sandbox',
    ]);
  });
});
