import { isIP } from 'node:net';
import { isSameHost } from '../urls/urls.js';
import ipaddr from 'ipaddr.js';

/** Names that are never public: those of this machine and its networks. */
const LOCAL_NAMES = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa)$/;

/**
 * Validates the URL of a webhook. Returns the problem as the end of a sentence, or undefined if the URL is valid.
 * Production requires https, a public host and no port; other environments also allow http, this machine and a port.
 * This function validates names as text; each connection validates the addresses.
 */
export function mistakeOfUrl(text: string, production: boolean): string | undefined {
  // The URL parser removes white space and converts backslashes, so the parsed URL would differ from the text.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text) || !URL.canParse(text)) return 'must be an absolute URL in ASCII';
  const url = new URL(text);
  if (url.protocol !== 'https:' && (production || url.protocol !== 'http:'))
    return `must begin with https://${production ? '' : ' or http://'}`;
  const authority = /^\w+:\/\/([^/?#]+)/.exec(text)?.[1];
  if (authority === undefined) return 'must contain a host';
  if (authority.includes('@')) return 'must not contain a user or a password';
  if (text.includes('#')) return 'must not have a fragment';
  if (production && /:\d*$/.test(authority)) return 'must not contain a port';
  if (!isAllowedHost(hostOf(url), production)) return 'must be on a public host';
  return isSameHost(authority, url) ? undefined : `must contain its host in the form that browsers use: ${url.host}`;
}

function isAllowedHost(host: string, production: boolean): boolean {
  if (isIP(host)) return isAllowedAddress(host, production);
  return !production || (host.includes('.') && !LOCAL_NAMES.test(host));
}

/** The host of a URL, without the brackets of an address and without the trailing dot. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, '');

/** Addresses of cloud metadata services outside the ranges that are blocked anyway. */
const METADATA = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'];

/** The publicly routed part of IPv6. All other ranges are reserved or have a special meaning. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const DEVELOPMENT_RANGES = ['unicast', 'loopback', 'private', 'uniqueLocal', 'carrierGradeNat', 'unspecified'];

/**
 * True if a webhook may use this address. Production allows public unicast addresses only; other environments also
 * allow this machine and its networks. Cloud metadata addresses and texts that are not addresses are always rejected.
 */
export function isAllowedAddress(text: string, production: boolean): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = unmapped(text);
  if (METADATA.some((each) => ipaddr.parse(each).toNormalizedString() === address.toNormalizedString())) return false;
  if (!production) return DEVELOPMENT_RANGES.includes(address.range());
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST));
}

/** The IPv4 address inside an IPv6 one: mapped, or translated for IPv6-only networks. */
function unmapped(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4 || !address.match(NAT64)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}
