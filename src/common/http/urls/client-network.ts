import ipaddr from 'ipaddr.js';

/** Addresses are shorter; the rest of what a proxy sends is dropped. */
const MAX_ADDRESS_LENGTH = 64;

/**
 * The key of limits per address: an IPv4 address, or the /64 of an IPv6 address, since a client with one address of
 * such a network has all of them.
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
