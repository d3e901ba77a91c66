import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, readConfig, withoutSlash } from '../../config/config.js';
import { CREDENTIALS_FILE } from '../../demo/credentials-file.js';
import { readCredentialsEnv } from '../environment.js';
import { type Credentials, Profiles } from './profiles.js';
import { CommandRefusal } from '../refusal.js';
import type { KeyAndSecret } from '../../auth/credentials/tokens.js';

/** Credentials and their source. */
export interface FoundCredentials {
  credentials: Credentials;
  from: string;
  /** The profile that the tokens of OAuth 2.0 are of; undefined if they come from elsewhere. */
  profile?: string;
}

/** The options that select credentials. */
export interface NamedCredentials {
  /** Files; later ones add to earlier ones. */
  credentials?: string[];
  /** The profile of a login; files override it. */
  profile?: string;
}

/** The other sources of credentials; tests have their own. */
interface CredentialPlaces {
  /** True if credentials may be missing. */
  optional?: boolean;
  env?: Credentials;
  config?: () => Pick<Config, 'dataDir'>;
  profiles?: Profiles;
}

/**
 * The files and the profile that are named, else the environment, else the profile that it names, else the demo's file in
 * the data directory, else the current profile.
 */
export function findCredentials(
  { credentials: files = [], profile }: NamedCredentials,
  {
    optional = false,
    env = readCredentialsEnv(),
    config = readConfig,
    profiles = new Profiles(),
  }: CredentialPlaces = {},
): FoundCredentials {
  const ofProfile = (name: string) => ({
    credentials: profiles.get(name),
    from: `the profile ${name}`,
    profile: name,
  });
  if (profile !== undefined || files.length > 0) {
    const first: FoundCredentials[] = profile === undefined ? [] : [ofProfile(profile)];
    const all = [...first, ...files.map((path): FoundCredentials => ({ credentials: readFile(path), from: path }))];
    return {
      credentials: all.reduce(overridden, {}),
      from: all.map(({ from }) => from).join(', '),
      profile: all.findLast(hasTokens)?.profile,
    };
  }
  if (env.consumer_key) return { credentials: env, from: 'the environment' };
  if (env.profile) return ofProfile(env.profile);
  const path = join(config().dataDir, CREDENTIALS_FILE);
  try {
    return { credentials: readFile(path), from: path };
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    const current = profiles.current();
    if (current !== undefined) return ofProfile(current);
    if (optional) return { credentials: {}, from: path };
    throw new CommandRefusal(
      `there are no credentials: name a file with --credentials, set MARQUEE_CONSUMER_KEY and the other variables, run \`marquee login\`, or ` +
        `set DATA_DIR to the directory of ${CREDENTIALS_FILE} (expected at ${path})`,
    );
  }
}

const hasOAuth2Tokens = ({ credentials }: FoundCredentials): boolean =>
  Boolean(credentials.oauth2_access_token || credentials.oauth2_refresh_token);

const hasTokens = (found: FoundCredentials): boolean =>
  Boolean(found.credentials.access_token) || hasOAuth2Tokens(found);

/** Credentials with those of a later source. Requests prefer tokens of OAuth 2.0, so a later token to sign with removes them. */
function overridden(before: Credentials, later: FoundCredentials): Credentials {
  const isSigned = hasTokens(later) && !hasOAuth2Tokens(later);
  const kept = Object.entries(before).filter(([name]) => !isSigned || !name.startsWith('oauth2_'));
  return { ...Object.fromEntries(kept), ...later.credentials };
}

/** The value with this name; a missing one is a Refusal that names the sources searched. */
export function requiredCredential({ credentials, from }: FoundCredentials, name: string): string {
  const value = credentials[name];
  if (value) return value;
  const variable = from === 'the environment' ? ` (MARQUEE_${name.toUpperCase()})` : '';
  const why =
    SIGNING_KEYS.includes(name) && credentials.oauth2_access_token
      ? ': it has tokens of OAuth 2.0, but this command signs with the keys of OAuth 1.0a; name a file that has them with --credentials'
      : '';
  throw new CommandRefusal(`${name} is missing in ${from}${variable}${why}`);
}

/** The keys and secrets of a signature. */
export const SIGNING_KEYS = ['consumer_key', 'consumer_secret', 'access_token', 'access_token_secret'];

/** The consumer key and secret. */
export const consumerOf = (found: FoundCredentials): KeyAndSecret => ({
  key: requiredCredential(found, 'consumer_key'),
  secret: requiredCredential(found, 'consumer_secret'),
});

/** The access token and secret, of the credentials or of a named file; undefined where the request has no token. */
export function tokenOf(found: FoundCredentials, named?: string | false): KeyAndSecret | undefined {
  if (named === false) return undefined;
  const holder = named === undefined ? found : { credentials: readFile(named), from: named };
  return {
    key: requiredCredential(holder, 'access_token'),
    secret: requiredCredential(holder, 'access_token_secret'),
  };
}

/** The public URLs: those of the credentials, else those of the environment. */
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

class FileMissing extends CommandRefusal {}

function readFile(path: string): Credentials {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new FileMissing(`${path} cannot be read`);
  }
  if (TOKEN_ANSWER.test(text)) return ofTokenAnswer(new URLSearchParams(text.trim()));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CommandRefusal(`${path} is neither JSON nor the response of a token endpoint`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandRefusal(`${path} does not contain a JSON object`);
  const texts: Credentials = Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  return texts.token_type === 'bearer' && texts.access_token ? ofBearerAnswer(texts) : texts;
}

/** What the token endpoint of OAuth 2.0 answers. Nobody knows since when: the access token is used as long as it is valid. */
function ofBearerAnswer({ token_type: _, access_token, refresh_token: _unused, ...rest }: Credentials): Credentials {
  return { ...rest, oauth2_access_token: access_token, oauth2_expires_at: 'Infinity' };
}

/** The form body that `oauth/request_token` and `oauth/access_token` answer (RFC 5849 2.1). */
const TOKEN_ANSWER = /^\s*oauth_token=[^\s&]+&\S+\s*$/;

const ofTokenAnswer = (answer: URLSearchParams): Credentials => {
  const { oauth_token, oauth_token_secret = '', ...rest } = Object.fromEntries(answer);
  return { ...rest, access_token: oauth_token, access_token_secret: oauth_token_secret };
};
