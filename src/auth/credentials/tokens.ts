import { randomBytes, randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A random text of letters and digits, the only characters that every stock client takes in keys and secrets. */
export function secretText(length: number): string {
  const text = Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  // Some clients take a key that contains this word for an error message.
  return /invalid/i.test(text) ? secretText(length) : text;
}

/** An access token as stock clients know it: the user's id, a dash, 40 random characters. */
export const accessTokenText = (userId: string) => `${userId}-${secretText(40)}`;

/** Random bytes as a text that fits a header or URL. */
export const opaqueText = (bytes = 24) => randomBytes(bytes).toString('base64url');
