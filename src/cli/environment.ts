import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Environment = Record<string, string | undefined>;

/** What `MARQUEE_<NAME>` gives the command line to sign requests with, as `<name>`: consumer_key, access_token, account_id, ... */
export function readCredentialsEnv(env: Environment = process.env): Record<string, string> {
  const given = Object.entries(env).flatMap(([name, value]) => {
    const key = /^MARQUEE_([A-Z][A-Z0-9_]*)$/.exec(name)?.[1].toLowerCase();
    return key && value ? [[key, value]] : [];
  });
  return Object.fromEntries(given) as Record<string, string>;
}

/** Where the command line keeps what it remembers for its user (XDG Base Directory Specification). */
export function userConfigDir({ XDG_CONFIG_HOME: given = '' }: Environment = process.env): string {
  // The specification has paths that are not absolute ignored.
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'marquee');
}
