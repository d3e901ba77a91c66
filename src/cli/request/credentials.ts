import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, readConfig, readCredentialsEnv, withoutSlash } from '../../config.js';
import { CREDENTIALS_FILE } from '../../demo/credentials-file.js';
import { Refusal } from '../refusal.js';

/** Keys, secrets, ids and URLs by name, as the demo's file has them. */
export type Credentials = Record<string, string>;

/** Credentials, and where they were found. */
export interface FoundCredentials {
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
): FoundCredentials {
  if (files.length > 0)
    return { credentials: Object.assign({}, ...files.map(readFile)) as Credentials, from: files.join(', ') };
  if (env.consumer_key) return { credentials: env, from: 'the environment' };
  const path = join(config().dataDir, CREDENTIALS_FILE);
  try {
    return { credentials: readFile(path), from: path };
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    if (optional) return { credentials: {}, from: path };
    throw new Refusal(
      `there are no credentials: name a file with --credentials, set MARQUEE_CONSUMER_KEY and its like, or point DATA_DIR ` +
        `to where ${CREDENTIALS_FILE} is (looked for ${path})`,
    );
  }
}

/** The value of this name; a Refusal that says where it was looked for, where there is none. */
export function requiredCredential({ credentials, from }: FoundCredentials, name: string): string {
  const value = credentials[name];
  if (value) return value;
  throw new Refusal(
    `${name} is missing in ${from}${from === 'the environment' ? ` (MARQUEE_${name.toUpperCase()})` : ''}`,
  );
}

/** The public URLs: those that the credentials hold, else those that this environment configures. */
export function baseUrlsOf(credentials: Credentials, config: () => Config = readConfig): BaseUrls {
  const of = (name: string, configured: (config: Config) => URL) =>
    credentials[name] ?? withoutSlash(configured(config()));
  return {
    auth: () => of('base_url', ({ baseUrl }) => baseUrl),
    ads: () => of('ads_base_url', ({ adsBaseUrl }) => adsBaseUrl),
    sandbox: () => of('ads_sandbox_base_url', ({ adsSandboxBaseUrl }) => adsSandboxBaseUrl),
  };
}

export type BaseUrls = Record<'auth' | 'ads' | 'sandbox', () => string>;

class FileMissing extends Refusal {}

function readFile(path: string): Credentials {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new FileMissing(`${path} cannot be read`);
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
