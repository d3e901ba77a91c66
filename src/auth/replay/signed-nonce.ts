import { hash } from 'node:crypto';

/** The identity of a signed request: RFC 5849 3.3 allows each combination of these four once. */
export interface SignedNonce {
  consumer: string;
  /** Empty when the request has no token. */
  token: string;
  /** Seconds since the epoch. */
  timestamp: number;
  nonce: string;
}

/** Maximum difference of a timestamp from this clock, in either direction. */
export const WINDOW_SECONDS = 300;

/**
 * The time for which a nonce is kept after its timestamp, in seconds: the 300 s in which it is accepted, and a margin for
 * differing clocks.
 */
export const RETENTION_SECONDS = 600;

/**
 * The signed nonce in 132 bits. None of its parts can contain a NUL: they are signed ASCII, or come from the database.
 */
export const nonceDigestOf = ({ consumer, token, timestamp, nonce }: SignedNonce): string =>
  hash('sha256', `${consumer}\0${token}\0${timestamp}\0${nonce}`, 'base64url').slice(0, 22);

/**
 * Whose nonces share a slot of a Redis Cluster. It depends on nothing but the signed nonce: all copies must meet there.
 */
export const slotKeyOf = ({ consumer, token }: SignedNonce): string => token || consumer;
