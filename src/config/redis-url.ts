/** The address of a server. */
export interface Address {
  host: string;
  port: number;
}

/** A user and a password; both are absent where a server asks for none. */
interface Login {
  username?: string;
  password?: string;
}

/** One server, as ioredis reads its URL, or the path of its socket. */
interface SingleRedis {
  kind: 'single';
  url: string;
}

/** A primary that Redis Sentinel knows by a name. */
export interface SentinelRedis extends Login {
  kind: 'sentinel';
  sentinels: Address[];
  /** The name of the primary in the configuration of the sentinels. */
  master: string;
  db: number;
  /** The login at the sentinels themselves. */
  sentinelLogin: Login;
  tls: boolean;
}

/** A Redis Cluster. */
export interface ClusterRedis extends Login {
  kind: 'cluster';
  /** Some of its nodes: they name the others. */
  nodes: Address[];
  tls: boolean;
}

export type RedisPlace = SingleRedis | SentinelRedis | ClusterRedis;

/** The URL is not usable. The message never contains a part of it that may be a secret. */
export class RedisUrlError extends Error {}

const SENTINEL_EXAMPLE = 'redis+sentinel://:password@a:26379,b:26379,c:26379/mymaster';
const CLUSTER_EXAMPLE = 'redis+cluster://:password@a:6379,b:6379,c:6379';
const SENTINEL_PORT = 26379;
const REDIS_PORT = 6379;
const MAX_DATABASE = 1_000_000;
/** The characters that sentinels permit in the name of a primary. */
const MASTER_NAME = /^[\w.-]+$/;
const SENTINEL_OPTIONS = ['sentinel_username', 'sentinel_password'];

/** Reads a URL of one Redis, of sentinels or of a cluster; throws a RedisUrlError. */
export function parseRedisUrl(text: string): RedisPlace {
  const [, scheme = ''] = /^([a-z][a-z\d+.-]*):/i.exec(text) ?? [];
  switch (scheme.toLowerCase()) {
    case 'redis+sentinel':
    case 'rediss+sentinel':
      return sentinelOf(partsOf(text, SENTINEL_PORT, SENTINEL_EXAMPLE));
    case 'redis+cluster':
    case 'rediss+cluster':
      return clusterOf(partsOf(text, REDIS_PORT, CLUSTER_EXAMPLE));
    default:
      return singleOf(text, scheme);
  }
}

/** The URL with masked passwords, for people. */
export function maskedRedisUrl(text: string): string {
  if (parseRedisUrl(text).kind === 'single') {
    const shown = new URL(text);
    if (shown.password) shown.password = '***';
    return shown.href;
  }
  const [, scheme, authority, rest] = /^([^:]*:\/\/)([^/?]*)((?:[/?].*)?)$/.exec(text)!;
  const login = authority.slice(0, authority.lastIndexOf('@') + 1);
  const user = login.slice(0, login.indexOf(':') + 1);
  const hosts = authority.slice(login.length);
  return `${scheme}${login && `${user}***@`}${hosts}${rest.replace(/(sentinel_password=)[^&]*/, '$1***')}`;
}

function singleOf(text: string, scheme: string): SingleRedis {
  const [, authority = text] = /^[\w+.-]+:\/\/([^/?#]*)/.exec(text) ?? [];
  if (/sentinel/i.test(scheme)) throw new RedisUrlError(`must name sentinels as in ${SENTINEL_EXAMPLE}`);
  if (/cluster/i.test(scheme)) throw new RedisUrlError(`must name the nodes of a cluster as in ${CLUSTER_EXAMPLE}`);
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  if (/^[^,]*[\w.\]-](:\d*)?,\s*\S/.test(hosts) || /[?&]host=[^&]*(,|%2c)/i.test(text)) {
    throw new RedisUrlError(
      `lists several hosts, which only sentinels and clusters can have, as in ${SENTINEL_EXAMPLE} or ${CLUSTER_EXAMPLE}`,
    );
  }
  if (URL.canParse(text) && ['redis:', 'rediss:', 'unix:'].includes(new URL(text).protocol))
    return { kind: 'single', url: text };
  throw new RedisUrlError(
    'must be a URL that begins with redis:// or rediss:// or unix://, or redis+sentinel:// or redis+cluster://',
  );
}

/** A URL with a list of hosts, taken apart. */
interface Parts {
  tls: boolean;
  login: Login;
  hosts: Address[];
  /** The decoded segments of the path, without empty ones. */
  path: string[];
  options: URLSearchParams;
}

function sentinelOf({ tls, login, hosts, path, options }: Parts): SentinelRedis {
  refuseUnknown(options, SENTINEL_OPTIONS);
  const [master, db = '0', ...more] = path;
  if (master === undefined)
    throw new RedisUrlError(`must end in the name that the sentinels give the primary, as in ${SENTINEL_EXAMPLE}`);
  if (!MASTER_NAME.test(master))
    throw new RedisUrlError('has a name of the primary with other characters than letters, digits and . - _');
  if (more.length > 0 || !/^\d{1,7}$/.test(db) || Number(db) > MAX_DATABASE)
    throw new RedisUrlError(
      'must have only the number of a database after the name of the primary, as in .../mymaster/0',
    );
  const [username, password] = SENTINEL_OPTIONS.map((name) => options.get(name) ?? undefined);
  if (username && !password) throw new RedisUrlError('has a sentinel_username without a sentinel_password');
  return {
    kind: 'sentinel',
    tls,
    ...login,
    sentinels: hosts,
    master,
    db: Number(db),
    sentinelLogin: { ...(username && { username }), ...(password && { password }) },
  };
}

function clusterOf({ tls, login, hosts, path, options }: Parts): ClusterRedis {
  refuseUnknown(options, []);
  if (path.length > 1 || (path[0] ?? '0') !== '0')
    throw new RedisUrlError('must have no path, because a Redis Cluster has only database 0');
  return { kind: 'cluster', tls, ...login, nodes: hosts };
}

function refuseUnknown(options: URLSearchParams, known: string[]): void {
  const names = [...options.keys()];
  const unknown = names.find((name) => !known.includes(name));
  const allowed = known.length === 0 ? 'this kind of URL has none' : `allowed are ${known.join(' and ')}`;
  // The name may be a secret that a misplaced question mark exposes.
  if (unknown !== undefined) throw new RedisUrlError(`has an unknown option after its question mark; ${allowed}`);
  if (new Set(names).size < names.length) throw new RedisUrlError('has the same option twice');
}

function partsOf(text: string, defaultPort: number, example: string): Parts {
  const [, scheme, authority, pathname, query] =
    /^(rediss?)\+[a-z]+:\/\/([^/?#]*)((?:\/[^?#]*)?)(?:\?([^#]*))?$/i.exec(text) ?? [];
  if (authority === undefined)
    throw new RedisUrlError(`is not a URL such as ${example}; percent-encode special characters of the password`);
  const at = authority.lastIndexOf('@');
  const hosts = authority.slice(at + 1).split(',');
  return {
    tls: scheme.toLowerCase() === 'rediss',
    login: at < 0 ? {} : loginOf(authority.slice(0, at)),
    hosts: hosts.map((host, i) => addressOf(host, i, defaultPort, example)),
    path: pathname.split('/').filter(Boolean).map(decoded),
    options: new URLSearchParams(query ?? ''),
  };
}

function loginOf(text: string): Login {
  const colon = text.indexOf(':');
  if (text.includes('@'))
    throw new RedisUrlError('has two @ before its hosts; percent-encode special characters of the password');
  if (colon < 0) throw new RedisUrlError('has a user without a password; write :password@ for a password alone');
  const [username, password] = [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))];
  if (username && !password) throw new RedisUrlError('has a user without a password');
  return { ...(username && { username }), ...(password && { password }) };
}

function addressOf(text: string, i: number, defaultPort: number, example: string): Address {
  const nth = `host ${i + 1} of its list`;
  const [, name, port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text.trim()) ?? [];
  if (name === '') throw new RedisUrlError(`${nth} is empty; list the hosts as in ${example}`);
  if (port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) <= 65_535))
    throw new RedisUrlError(`the port of ${nth} is not a whole number from 1 to 65535`);
  if (name === undefined || /\s/.test(name) || !URL.canParse(`redis://${name}/`))
    throw new RedisUrlError(`${nth} is not a host name; list the hosts as in ${example}`);
  return { host: name.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RedisUrlError('has a % that does not begin a percent-encoded character; write %25 for it');
  }
}
