import { createHash } from 'node:crypto';
import type { IdentifierKind } from '../entities/audience-identifier.entity.js';

/** The normalised form of a plain identifier, or the expected format. */
export type Normalised = { value: string } | { problem: string };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const lower = (given: string) => given.trim().toLowerCase();

const NORMALISE: Record<IdentifierKind, (given: string) => Normalised> = {
  email: (given) =>
    checked(
      lower(given),
      /^[^\s@]{1,64}@[^\s@]{1,255}$/,
      'an address such as ann@example.com, or a SHA-256 in hexadecimal',
    ),
  handle: (given) =>
    checked(
      lower(given).replace(/^@/, ''),
      /^\w{1,30}$/,
      '1 to 30 letters, digits and underscores, or a SHA-256 in hexadecimal',
    ),
  platform_id: (given) => checked(given.trim(), /^(0|[1-9]\d{0,18})$/, 'a decimal number, or a SHA-256 in hexadecimal'),
  // Android ids have no dashes; advertising identifiers have them.
  device_id: (given) => {
    const value = lower(given);
    return UUID.test(value)
      ? { value }
      : checked(
          value.replace(/[\s-]/g, ''),
          /^[0-9a-f]{16}$/,
          'an advertising identifier with its dashes, an Android id of 16 hexadecimal digits, or a SHA-256 in hexadecimal',
        );
  },
  phone_number: (given) =>
    checked(
      given.replace(/[\s().\-/]/g, '').replace(/^00/, '+'),
      /^\+[1-9]\d{6,14}$/,
      'a number in E.164 with its country, such as +14155550123, or a SHA-256 in hexadecimal',
    ),
  partner_user_id: (given) => checked(given, /^[^]{1,255}$/, 'a text of 1 to 255 characters'),
};

const checked = (value: string, form: RegExp, allowed: string): Normalised =>
  form.test(value) ? { value } : { problem: allowed };

/** Normalises a plain identifier as all clients do before hashing, so that equal ones have equal hashes. */
export const normalisedIdentifier = (kind: IdentifierKind, given: string): Normalised => NORMALISE[kind](given);

/**
 * The SHA-256 under which an identifier is stored: that of the normalised value, or the 64 hexadecimal digits given. A
 * partner's own ids may look like a hash and are always hashed, as in uploads.
 */
export function hashOf(kind: IdentifierKind, given: string): { hash: Buffer } | { problem: string } {
  if (kind !== 'partner_user_id' && /^\s*[0-9a-f]{64}\s*$/i.test(given))
    return { hash: Buffer.from(given.trim(), 'hex') };
  const form = normalisedIdentifier(kind, given);
  return 'problem' in form ? form : { hash: createHash('sha256').update(form.value, 'utf8').digest() };
}
