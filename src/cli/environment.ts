import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Environment = Record<string, string | undefined>;

/** The credentials in `MARQUEE_<NAME>` variables, as `<name>`: consumer_key, access_token, account_id, ... */
export function readCredentialsEnv(env: Environment = process.env): Record<string, string> {
  const given = Object.entries(env).flatMap(([name, value]) => {
    const key = /^MARQUEE_([A-Z][A-Z0-9_]*)$/.exec(name)?.[1].toLowerCase();
    return key && value ? [[key, value]] : [];
  });
  return Object.fromEntries(given) as Record<string, string>;
}

/** An environment variable that a user names. */
export const readVariable = (name: string): string | undefined => process.env[name];

/** The configuration folder of the command line (XDG Base Directory Specification). */
export function userConfigDir({ XDG_CONFIG_HOME: given = '' }: Environment = process.env): string {
  // The specification ignores relative paths.
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'marquee');
}

/** True if a terminal with these variables displays more than ASCII: its locale is UTF-8, and it is no console without fonts. */
export function displaysUnicode(env: Environment = process.env, platform: string = process.platform): boolean {
  if (platform === 'win32') return Boolean(env.WT_SESSION);
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return /utf-?8/i.test(locale) && env.TERM !== 'dumb' && env.TERM !== 'linux';
}
