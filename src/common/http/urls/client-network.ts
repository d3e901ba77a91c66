import ipaddr from 'ipaddr.js';

/** No address is as long: the rest of what a proxy calls one is not kept. */
const MAX_ADDRESS_LENGTH = 64;

/**
 * What limits per address count by: an IPv4 address, or the /64 of an IPv6 address, since whoever has one address of such
 * a network has all of them.
 */
export function clientNetworkOf(address: string): string {
  if (!address.includes(':')) return address.slice(0, MAX_ADDRESS_LENGTH);
  if (!ipaddr.isValid(address)) return address.slice(0, MAX_ADDRESS_LENGTH);
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
