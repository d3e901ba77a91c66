import { hash } from 'node:crypto';

/** What a signed request claims to be the first to use. */
export interface SignedNonce {
  consumer: string;
  /** Empty where the request has no token. */
  token: string;
  /** Seconds since the epoch. */
  timestamp: number;
  nonce: string;
}

/** How long after its timestamp a claim could still come, with room for clocks that differ, in seconds. */
export const RETENTION_SECONDS = 600;

/** The claim in 132 bits. None of its parts can hold a NUL: they are signed ASCII, or were found in the store. */
export const digestOf = ({ consumer, token, timestamp, nonce }: SignedNonce): string =>
  hash('sha256', `${consumer}\0${token}\0${timestamp}\0${nonce}`, 'base64url').slice(0, 22);
