const SCHEME = /^postgres(?:ql)?:\/\//;
const EXAMPLE = 'postgres://user:password@a:5432,b:5432/database';
const TARGETS = ['any', 'read-write'] as const;

/** Which of several servers is used: the first that answers, or the first that accepts writes. */
export type TargetSessionAttrs = (typeof TARGETS)[number];

/** A URL of PostgreSQL in libpq's form, which may list several hosts. */
export interface DatabaseUrl {
  /** A URL for each host, in the order of the list. */
  urls: string[];
  target: TargetSessionAttrs;
}

/** The URL is not usable. The message never contains a part of it, because a misplaced `@` exposes the password. */
export class DatabaseUrlError extends Error {}

/** Splits a URL such as `postgres://u:p@a:5432,b/db?target_session_attrs=any`; throws a DatabaseUrlError. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const { before, hosts, after } = partsOf(text);
  const urls = hosts.length === 1 ? [text] : hosts.map((host) => `${before}${host}${after}`);
  if (hosts.length === 1) assertUrl(text);
  else hosts.forEach(assertHost);
  if (!URL.canParse(urls[0]))
    throw new DatabaseUrlError(`is not a URL such as ${EXAMPLE}; percent-encode special characters of the password`);
  const { searchParams } = new URL(urls[0]);
  if (searchParams.get('host')?.includes(','))
    throw new DatabaseUrlError(`has a list in its parameter host; list the hosts as in ${EXAMPLE}`);
  const asked = searchParams.get('target_session_attrs');
  const target = TARGETS.find((each) => each === (asked ?? 'read-write'));
  if (!target) throw new DatabaseUrlError(`has a target_session_attrs that is none of ${TARGETS.join(', ')}`);
  return { urls, target };
}

/** The URL with a masked password, for people. */
export function maskedDatabaseUrl(text: string): string {
  const { hosts } = partsOf(text);
  const shown = new URL(parseDatabaseUrl(text).urls[0]);
  if (shown.password) shown.password = '***';
  if (hosts.length === 1) return shown.href;
  const { before, after } = partsOf(shown.href);
  return `${before}${hosts.join(',')}${after}`;
}

/** The hosts with their ports, and the database: `a:5432,b:5432/db`. */
export function databasePlace(text: string): string {
  const urls = parseDatabaseUrl(text).urls.map((url) => new URL(url));
  return `${urls.map(hostAndPort).join(',')}${urls[0].pathname}`;
}

/** The host of a URL with its port, 5432 by default. */
export const hostAndPort = ({ hostname, port }: URL): string => `${hostname}:${port || 5432}`;

/** The hosts of a URL, and the text before and after them. */
function partsOf(text: string): { before: string; hosts: string[]; after: string } {
  const [scheme] = SCHEME.exec(text) ?? [];
  if (scheme === undefined) throw new DatabaseUrlError('must be a URL that begins with postgres:// or postgresql://');
  const [authority] = /^[^/?#]*/.exec(text.slice(scheme.length))!;
  const listed = authority.slice(authority.lastIndexOf('@') + 1);
  const end = scheme.length + authority.length;
  return { before: text.slice(0, end - listed.length), hosts: listed.split(','), after: text.slice(end) };
}

function assertUrl(text: string): void {
  if (!URL.canParse(text))
    throw new DatabaseUrlError(
      'must be a URL that begins with postgres:// or postgresql://, with a port from 1 to 65535 and special characters of the password percent-encoded',
    );
}

function assertHost(host: string, i: number): void {
  const nth = `host ${i + 1} of its list`;
  const [, name, port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(host) ?? [];
  if (name === '') throw new DatabaseUrlError(`${nth} is empty; list the hosts as in ${EXAMPLE}`);
  if (port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) <= 65_535))
    throw new DatabaseUrlError(`the port of ${nth} is not a whole number from 1 to 65535`);
  if (name === undefined || !URL.canParse(`postgres://${name}/`))
    throw new DatabaseUrlError(`${nth} is not a host name; list the hosts as in ${EXAMPLE}`);
}
