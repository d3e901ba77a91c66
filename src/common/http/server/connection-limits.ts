import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface ConnectionLimits {
  /** Maximum number of connections to this process. */
  total: number;
  /** Maximum number of connections from one address, or one IPv6 network. */
  perAddress: number;
  /** Peers without a limit, such as proxies, which connect for many clients. */
  isExempt: (address: string) => boolean;
  /** Called for each connection that a limit closes. */
  onRefused: (reason: 'connections' | 'connections-of-address') => void;
}

/** The event that another server of the same application emits on its main one for each connection. */
export const CONNECTION_ELSEWHERE = 'connection-elsewhere';

/**
 * Closes new connections beyond the limits at once, so that clients that open many and send nothing, or send headers
 * slowly, do not exhaust file descriptors.
 */
export function limitConnections(server: Server, { total, perAddress, isExempt, onRefused }: ConnectionLimits): void {
  const byAddress = new Map<string, number>();
  let count = 0;
  const admit = (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    if (isExempt(peer)) return;
    const network = clientNetworkOf(peer);
    const own = byAddress.get(network) ?? 0;
    if (own >= perAddress || count >= total) {
      onRefused(own >= perAddress ? 'connections-of-address' : 'connections');
      socket.destroy();
      return;
    }
    count++;
    byAddress.set(network, own + 1);
    socket.once('close', () => {
      count--;
      const left = byAddress.get(network)! - 1;
      if (left > 0) byAddress.set(network, left);
      else byAddress.delete(network);
    });
  };
  server.on('connection', admit).on(CONNECTION_ELSEWHERE, admit);
}

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
