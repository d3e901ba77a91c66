import { hash as digest } from 'node:crypto';

/** The SHA-256 of a click id, in hexadecimal. */
export const twclidHash = (twclid: string): string => digest('sha256', twclid, 'hex');

/** The SHA-256 of an address and a user agent together, in hexadecimal. */
export const visitorHash = (address: string, agent: string): string =>
  digest('sha256', `${address.trim().toLowerCase()}\n${agent.trim()}`, 'hex');
