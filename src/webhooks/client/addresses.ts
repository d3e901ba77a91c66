import ipaddr from 'ipaddr.js';

/** Addresses of cloud metadata services outside the ranges that are blocked anyway. */
const METADATA = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'];

/** The publicly routed part of IPv6. All other ranges are reserved or have a special meaning. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const DEVELOPMENT_RANGES = ['unicast', 'loopback', 'private', 'uniqueLocal', 'carrierGradeNat', 'unspecified'];

/**
 * Whether a webhook may use this address. Production allows public unicast addresses only; other environments also
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
