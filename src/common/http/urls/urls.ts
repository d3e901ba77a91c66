import { domainToUnicode } from 'node:url';

/** Schemes that make a browser run the URL's content, or open files of the visitor's machine. */
export const UNSAFE_SCHEMES: ReadonlySet<string> = new Set(
  'javascript vbscript vbs livescript mocha data file filesystem blob about view-source jar shell'.split(' '),
);

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
/** The text between `//` and the path, query or fragment of a URL (RFC 3986, 3.2). */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;
const DEFAULT_PORTS: Record<string, string> = {
  'http:': '80',
  'https:': '443',
  'ftp:': '21',
  'ws:': '80',
  'wss:': '443',
};

/** The scheme of a URL in lower case; undefined without one. */
export const schemeOf = (text: string): string | undefined => SCHEME.exec(text)?.[1].toLowerCase();

/**
 * The problem of a URL that people are led to, as a sentence; undefined for a valid one. A valid URL is safe to follow,
 * and browsers read it as written: other parsers would read another host from `https://evil.example\@example.com`.
 * Callers must bound the length of the text.
 */
export function faultOfUrl(text: string): string | undefined {
  if (/[\s\p{Cc}]/u.test(text)) return 'it must not contain white space or control characters';
  const scheme = schemeOf(text);
  if (scheme !== undefined && UNSAFE_SCHEMES.has(scheme)) return `the scheme ${scheme} is not allowed`;
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined || !URL.canParse(text))
    return 'it must be an absolute URL, such as https://example.com/offers';
  if (authority.includes('\\')) return 'the host must not contain a backslash';
  if (authority.includes('@')) return 'it must not contain a user or a password';
  const url = new URL(text);
  if (isSameHost(authority, url)) return undefined;
  return `the host must have the form that browsers use${url.host && `: ${url.host}`}`;
}

/** Whether the text of a host and port equals the result of the browsers' parser. A port may be the default one. */
export function isSameHost(authority: string, { protocol, hostname, port }: URL): boolean {
  const [, host, digits = ''] = HOST_AND_PORT.exec(authority) ?? [];
  if (host === undefined) return false;
  const written = digits === '' ? '' : String(Number(digits));
  if (port !== (written === DEFAULT_PORTS[protocol] ? '' : written)) return false;
  const lower = host.toLowerCase();
  // an IPv6 address in brackets has many equivalent forms
  if (hostname.toLowerCase() === lower || (host.startsWith('[') && hostname.startsWith('['))) return true;
  // a non-ASCII host is Punycode on the web, and percent-encoded in links into applications
  return domainToUnicode(hostname) === lower.normalize('NFC') || hostname === encodeURI(host);
}
