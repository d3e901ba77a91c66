import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseUrlsOf, findCredentials, requiredCredential } from '../../../src/cli/request/credentials.js';
import { readConfig, readCredentialsEnv } from '../../../src/config.js';

const dataDir = mkdtempSync(join(tmpdir(), 'marquee-credentials-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const file = (name: string, content: unknown) => {
  const path = join(dataDir, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const find = (files: string[], env: Record<string, string> = {}, more = {}) =>
  findCredentials(files, { env, config: () => ({ dataDir }), ...more });

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

  it('add up over several files, texts only', () => {
    const app = file('app.json', { consumer_key: 'ck', callbacks: ['x'], name: 'app' });
    const token = file('token.json', { access_token: 'at', name: 'token' });
    expect(find([app, token]).credentials).toEqual({ consumer_key: 'ck', access_token: 'at', name: 'token' });
  });

  it('says which file is no good', () => {
    expect(() => find([join(dataDir, 'none.json')])).toThrow('none.json cannot be read');
    expect(() => find([file('broken.json', '{')])).toThrow('broken.json is not JSON');
    expect(() => find([file('list.json', [])])).toThrow('does not hold a JSON object');
  });

  it('says what is missing where', () => {
    const env = { credentials: { consumer_key: 'ck' }, from: 'the environment' };
    expect(requiredCredential(env, 'consumer_key')).toBe('ck');
    expect(() => requiredCredential(env, 'access_token')).toThrow(
      'access_token is missing in the environment (MARQUEE_ACCESS_TOKEN)',
    );
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
