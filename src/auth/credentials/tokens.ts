import { createHash, randomBytes, randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A key or token and its secret. It is shown once and stored sealed. */
export interface KeyAndSecret {
  key: string;
  secret: string;
}

/** A random text of letters and digits, the only characters in keys and secrets that every client accepts. */
export function secretText(length: number): string {
  const text = Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  // Some clients take a key that contains this word for an error message.
  return /invalid/i.test(text) ? secretText(length) : text;
}

/** An access token in the form that clients expect: the user's id, a dash, 40 random characters. */
export const accessTokenText = (userId: string) => `${userId}-${secretText(40)}`;

/** Random bytes as base64url text, for headers and URLs. */
export const opaqueText = (bytes: number) => randomBytes(bytes).toString('base64url');

/** The SHA-256 of a secret, by which it is found: nobody finds a random text from its hash. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('base64url');
