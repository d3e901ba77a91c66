import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { truncate } from '../../errors/api-error.js';
import { type Config, isLoopbackHost } from '../../../config/config.js';
import { trimTrailing } from '../../text/patterns.js';

export type AdsEnvironment = 'production' | 'sandbox';
type Family = 'auth' | 'ads';

/** One public URL of the service, with its environment and family of endpoints. */
interface PublicUrl {
  environment: AdsEnvironment;
  families: Set<Family>;
  /** Scheme and host, without a path. */
  origin: string;
  host: string;
  prefix: string;
  /** Configured as http on loopback, which nobody can intercept. */
  plainLoopback: boolean;
}

/** The origin of a request, as far as it is known before routing. */
export interface RequestOrigin {
  environment: AdsEnvironment;
  /** The request target exactly as the client sent and signed it. */
  target: string;
  /** The part of the target before the path of the endpoint. */
  prefix: string;
  /** Whether the client named version 11, which is served as version 12. */
  isVersion11: boolean;
  /**
   * Schemes and hosts that the client may have signed, in the form of RFC 5849 3.4.1.2; the configured public URL
   * first.
   */
  origins: string[];
  /** No endpoint here: the host is unknown, or serves another family of endpoints. */
  misdirected: boolean;
  /** Arrived over plain HTTP where HTTPS is required (code 92). */
  insecure: boolean;
  /** The cause when it is not the client's fault: a setting of this service does not match the route of the request. */
  insecureBecause?: string;
}

/** Headers in which a trusted proxy describes the original request. */
const FORWARDED = ['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-for'];
/** Beyond this number the senders are clients rather than load balancers. */
const MAX_IGNORED_PEERS = 10;

/** Stored on the request itself: a WeakMap with an entry per request would burden garbage collection. */
const ORIGIN = Symbol('origin');
type WithOrigin = IncomingMessage & { [ORIGIN]?: RequestOrigin };

/** The result of `PublicUrls.locate` for this request. */
export function originOf(raw: IncomingMessage): RequestOrigin {
  const origin = (raw as WithOrigin)[ORIGIN];
  if (!origin) throw new Error('a request that PublicUrls never located');
  return origin;
}

/** X serves versions 11 and 12 at a time, and many clients send the older one. */
const VERSION_11 = /^\/11([/?]|$)/;

/** The path that AI assistants call, which works at every public URL. */
const ASSISTANTS = /^\/mcp$/;

/** Paths about the service itself, which work under every host. */
const OPERATIONS = /^\/(health\/|version$|metrics$)/;

/** One process serves the three hosts of the specification; Host header and path prefix select one. */
export class PublicUrls {
  /** By host, and for any other host; the longest prefix first. */
  private readonly configured: Map<string, PublicUrl[]>;
  private readonly elsewhere: PublicUrl[];
  private readonly trusted: (address: string) => boolean;
  /** Peers whose `X-Forwarded-*` was ignored and reported. */
  private readonly ignored = new Set<string>();

  /** Calls `onIgnored` once for each untrusted peer that sends such a header, for at most MAX_IGNORED_PEERS peers. */
  constructor(
    private readonly config: Config,
    private readonly onIgnored?: (address: string, header: string) => void,
  ) {
    const publicUrls = merged([
      publicUrlOf(config.baseUrl, 'production', 'auth'),
      publicUrlOf(config.adsBaseUrl, 'production', 'ads'),
      publicUrlOf(config.adsSandboxBaseUrl, 'sandbox', 'ads'),
    ]);
    this.configured = new Map(
      publicUrls.map(({ host }) => [host, longestFirst(publicUrls.filter((each) => each.host === host))]),
    );
    this.elsewhere = config.production ? [] : longestFirst(byPathAlone(publicUrls));
    this.trusted = networkMatcher(config.trustProxy);
  }

  /**
   * Locates a request and returns the path to route by: the target without the prefix of its public URL, in version 12,
   * without a slash at its end.
   */
  locate(raw: IncomingMessage): string {
    // Clients may send a proxy the absolute form; routing and signatures use its path.
    const asSent = raw.url ?? '/';
    const target = asSent.startsWith('/') ? asSent : asSent.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
    const { scheme, host } = this.addressedTo(raw);
    const serving = (each: PublicUrl) => isUnder(target, each.prefix);
    const publicUrl = this.configured.get(host)?.find(serving);
    const matched = publicUrl ?? this.elsewhere.find(serving);
    const prefix = matched?.prefix ?? '';
    const own = strip(target, prefix);
    const isVersion11 = VERSION_11.test(own);
    const path = withoutSlash(isVersion11 ? own.replace('11', '12') : own);
    const pathname = path.split('?', 1)[0];
    const family = familyOf(pathname);
    const operation = OPERATIONS.test(pathname);

    const origins = publicUrl ? [publicUrl.origin] : [];
    // Outside production, clients may use any host name: tunnels, containers, 127.0.0.1.
    const asked = `${scheme}://${host}`;
    if (!this.config.production && host && !origins.includes(asked)) origins.push(asked);
    const insecure = this.config.production && !operation && scheme === 'http' && !publicUrl?.plainLoopback;
    (raw as WithOrigin)[ORIGIN] = {
      environment: matched?.environment ?? 'production',
      target,
      prefix,
      isVersion11,
      origins,
      misdirected: !operation && (!matched || (family !== undefined && !isServedAt(matched, family, pathname))),
      insecure,
      ...(insecure && { insecureBecause: this.whyInsecure(raw, host, family, publicUrl !== undefined) }),
    };
    return path;
  }

  /**
   * The URL that leads here, for one that a request named: clients choose the host of their requests. It is the same if its host
   * is that of a public URL or, outside production, this machine; else the path is put below the public URL of its endpoint.
   */
  leadingHere(called: string): string {
    const { origin, host, hostname } = URL.canParse(called) ? new URL(called) : NOWHERE;
    const isOurs = this.configured.has(host) || (!this.config.production && isLoopbackHost(hostname));
    if (isOurs && called.startsWith(`${origin}/`)) return called;
    const path = called.replace(/^\w+:\/\/[^/]*/, '');
    const matched = this.elsewhere.find(({ prefix }) => isUnder(path, prefix));
    const own = strip(path, matched?.prefix ?? '');
    const { baseUrl, adsBaseUrl, adsSandboxBaseUrl } = this.config;
    const ads = matched?.environment === 'sandbox' ? adsSandboxBaseUrl : adsBaseUrl;
    const base = familyOf(own) === 'ads' ? ads : baseUrl;
    return `${trimTrailing(base.href, '/')}${own}`;
  }

  /** Whether `X-Forwarded-*` of this peer is trusted. */
  trusts(address: string): boolean {
    return this.trusted(address);
  }

  /** Why a request counts as plain HTTP; undefined unless it does, under a public URL of the service. */
  private whyInsecure(
    raw: IncomingMessage,
    host: string,
    family: Family | undefined,
    isOurs: boolean,
  ): string | undefined {
    const { baseUrl, adsBaseUrl } = this.config;
    const [variable, expected] = family === 'ads' ? ['ADS_BASE_URL', adsBaseUrl] : ['BASE_URL', baseUrl];
    const hosts = `Host received: ${truncate(host, 100) || 'none'}. Host expected: ${expected.host}.`;
    const claimed = lastOf(raw.headers['x-forwarded-proto'])?.toLowerCase();
    if (claimed === 'https' && !this.trusted(raw.socket.remoteAddress ?? ''))
      return `X-Forwarded-Proto is ignored, because the proxy it comes from is not in TRUST_PROXY. ${hosts} Set TRUST_PROXY to the address of the proxy.`;
    if (isOurs) return undefined;
    return `The request came over plain http, and its host differs from the host of ${variable}. ${hosts} Call ${expected.origin}, or set ${variable} to the URL that clients call.`;
  }

  private tellIgnored({ headers }: IncomingMessage, peer: string): void {
    const header = FORWARDED.find((name) => headers[name] !== undefined);
    if (header === undefined || this.ignored.has(peer)) return;
    this.ignored.add(peer);
    this.onIgnored?.(peer, header);
  }

  private addressedTo(raw: IncomingMessage): { scheme: string; host: string } {
    const peer = raw.socket.remoteAddress ?? '';
    const behindProxy = isInProcess(raw) || this.trusted(peer);
    if (!behindProxy && this.onIgnored && this.ignored.size < MAX_IGNORED_PEERS) this.tellIgnored(raw, peer);
    const forwarded = (name: string) => (behindProxy ? lastOf(raw.headers[name]) : undefined);
    const own = 'encrypted' in raw.socket && raw.socket.encrypted ? 'https' : 'http';
    const scheme = forwarded('x-forwarded-proto')?.toLowerCase() ?? own;
    const host = forwarded('x-forwarded-host') ?? raw.headers.host ?? '';
    return { scheme, host: withoutDefaultPort(scheme, host.toLowerCase()) };
  }
}

/** What a text that is no URL names. */
const NOWHERE = { origin: '', host: '', hostname: '' };

/** Whether this process sent the request to itself (`inject`). Nobody else can set this property. */
const isInProcess = (raw: IncomingMessage): boolean => 'isLightMyRequest' in raw;

/** Under an unknown host the path alone decides: all of production at its prefixes, and the sandbox below its own. */
function byPathAlone(publicUrls: PublicUrl[]): PublicUrl[] {
  const sandbox = publicUrls
    .filter((each) => each.environment === 'sandbox')
    .map((each) => ({ ...each, prefix: each.prefix || '/sandbox' }));
  const all: PublicUrl = {
    environment: 'production',
    families: new Set(['auth', 'ads']),
    origin: '',
    host: '',
    prefix: '',
    plainLoopback: false,
  };
  const others = publicUrls
    .filter((each) => each.environment === 'production' && each.prefix)
    .map((each) => ({ ...all, prefix: each.prefix }));
  return [...sandbox, ...others, all];
}

/** The path prefixes of authentication, webhook and workbench endpoints; `i` has the page of approval of OAuth 2.0. */
const AUTH = /^\/(oauth|oauth2|i|1\.1|2|workbench|mcp)([/?]|$)/;
/** The path prefixes of advertising endpoints of any version, except `v` followed by an authentication prefix. */
const ADS = /^\/(?!v(1\.1|2)([/?]|$))v?\d+(\.\d+)?([/?]|$)/i;
/** The same without the version. */
const ADS_UNVERSIONED =
  /^\/(accounts|advertiser_business_categories|batch|bidding_rules|content_categories|iab_categories|insights|line_items|publishers|stats|targeting_criteria)([/?]|$)/;

/**
 * The family of endpoints that a path belongs to, which determines the form of error bodies; for an unknown path, that
 * of similar ones.
 */
export function familyOf(path: string): Family | undefined {
  if (AUTH.test(path)) return 'auth';
  return ADS.test(path) || ADS_UNVERSIONED.test(path) ? 'ads' : undefined;
}

const publicUrlOf = (url: URL, environment: AdsEnvironment, family: Family): PublicUrl => ({
  environment,
  families: new Set([family]),
  origin: url.origin,
  host: url.host,
  prefix: trimTrailing(url.pathname, '/'),
  plainLoopback: url.protocol === 'http:' && isLoopbackHost(url.hostname),
});

/** Two equal URLs serve both families. */
function merged(publicUrls: PublicUrl[]): PublicUrl[] {
  const places = new Map<string, PublicUrl>();
  for (const publicUrl of publicUrls) {
    const key = `${publicUrl.origin}${publicUrl.prefix}`;
    const known = places.get(key);
    if (known) publicUrl.families.forEach((family) => known.families.add(family));
    else places.set(key, publicUrl);
  }
  return [...places.values()];
}

const isServedAt = ({ families }: PublicUrl, family: Family, pathname: string) =>
  families.has(family) || ASSISTANTS.test(pathname);

const isUnder = (target: string, prefix: string) =>
  target.startsWith(prefix) && ['', '/', '?'].includes(target.charAt(prefix.length));

const longestFirst = (publicUrls: PublicUrl[]) =>
  publicUrls.toSorted((one, other) => other.prefix.length - one.prefix.length);

/** The path without one slash at its end. That of Swagger UI stays, whose page has relative links. */
function withoutSlash(path: string): string {
  const query = path.indexOf('?');
  const last = (query < 0 ? path.length : query) - 1;
  if (last < 1 || path[last] !== '/' || path.startsWith('/docs/')) return path;
  return path.slice(0, last) + path.slice(last + 1);
}

function strip(target: string, prefix: string): string {
  const path = target.slice(prefix.length);
  return path.startsWith('/') ? path : `/${path}`;
}

const withoutDefaultPort = (scheme: string, host: string) => host.replace(scheme === 'https' ? /:443$/ : /:80$/, '');

/** Proxies append; the last value is that of the trusted one. */
const lastOf = (header: string | string[] | undefined) =>
  (Array.isArray(header) ? header.join(',') : header)?.split(',').at(-1)?.trim() || undefined;

/** Whether an address is one of these addresses or in these networks; IPv4 inside IPv6 counts as IPv4. */
export function networkMatcher(networks: string[]): (address: string) => boolean {
  const ranges = networks.map((each) =>
    each.includes('/') ? ipaddr.parseCIDR(each) : ([ipaddr.process(each), each.includes(':') ? 128 : 32] as const),
  );
  if (ranges.length === 0) return () => false;
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const peer = ipaddr.process(address);
    return ranges.some(([range, bits]) => range.kind() === peer.kind() && peer.match(range, bits));
  };
}

/** Whether a peer is this machine. */
export const isLoopbackPeer = networkMatcher(['127.0.0.0/8', '::1']);
