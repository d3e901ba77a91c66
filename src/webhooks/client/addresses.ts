import ipaddr from 'ipaddr.js';

/** Where machines of a cloud tell their secrets, as far as it is not in a range that is closed anyway. */
const METADATA = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'];

/** What of IPv6 is routed in public; all else is reserved, or has a meaning of its own. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const DEVELOPMENT_RANGES = ['unicast', 'loopback', 'private', 'uniqueLocal', 'carrierGradeNat', 'unspecified'];

/**
 * Whether a webhook may be at this address: in production at a public unicast one only, otherwise also on this machine
 * and in its networks. Never where machines find the secrets of their cloud. What is no address is refused.
 */
export function isAllowedAddress(text: string, production: boolean): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = unmapped(text);
  if (METADATA.some((each) => ipaddr.parse(each).toNormalizedString() === address.toNormalizedString())) return false;
  if (!production) return DEVELOPMENT_RANGES.includes(address.range());
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST));
}

/** The IPv4 address that is meant where an IPv6 one only wraps it: mapped, or by the translation of IPv6-only networks. */
function unmapped(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4 || !address.match(NAT64)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}
