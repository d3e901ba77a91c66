import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, readConfig, readCredentialsEnv, withoutSlash } from '../../config.js';
import { CREDENTIALS_FILE } from '../../demo/credentials-file.js';
import { Refusal } from '../refusal.js';

/** Keys, secrets, ids and URLs by name, as the demo's file has them. */
export type Credentials = Record<string, string>;

/** With what to sign, and where it was found. */
export interface Found {
  credentials: Credentials;
  from: string;
}

/** The files that are named, else the environment, else the demo's file in the data directory. */
export function findCredentials(
  files: string[],
  {
    optional = false,
    env = readCredentialsEnv(),
    config = readConfig,
  }: { optional?: boolean; env?: Credentials; config?: () => Pick<Config, 'dataDir'> } = {},
): Found {
  if (files.length > 0)
    return { credentials: Object.assign({}, ...files.map(readFile)) as Credentials, from: files.join(', ') };
  if (env.consumer_key) return { credentials: env, from: 'the environment' };
  const path = join(config().dataDir, CREDENTIALS_FILE);
  try {
    return { credentials: readFile(path), from: path };
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    if (optional) return { credentials: {}, from: path };
    throw new Refusal(
      `there are no credentials: name a file with --credentials, set MARQUEE_CONSUMER_KEY and its like, or point DATA_DIR ` +
        `to where ${CREDENTIALS_FILE} is (looked for ${path})`,
    );
  }
}

/** The named value, or a refusal that says where it was looked for. */
export function need({ credentials, from }: Found, name: string): string {
  const value = credentials[name];
  if (value) return value;
  throw new Refusal(
    `${name} is missing in ${from}${from === 'the environment' ? ` (MARQUEE_${name.toUpperCase()})` : ''}`,
  );
}

/** The public URLs: of the credentials, where they say them, or those that this environment configures. */
export function basesOf(credentials: Credentials, config: () => Config = readConfig): Bases {
  const of = (name: string, configured: (config: Config) => URL) =>
    credentials[name] ?? withoutSlash(configured(config()));
  return {
    auth: () => of('base_url', ({ baseUrl }) => baseUrl),
    ads: () => of('ads_base_url', ({ adsBaseUrl }) => adsBaseUrl),
    sandbox: () => of('ads_sandbox_base_url', ({ adsSandboxBaseUrl }) => adsSandboxBaseUrl),
  };
}

export type Bases = Record<'auth' | 'ads' | 'sandbox', () => string>;

class Missing extends Refusal {}

function readFile(path: string): Credentials {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new Missing(`${path} cannot be read`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal(`${path} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(`${path} does not hold a JSON object`);
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
