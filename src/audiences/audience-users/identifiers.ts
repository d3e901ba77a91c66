import { hash as digest } from 'node:crypto';
import { int8Array } from '../../common/db/query/integer-arrays.js';
import { inSlices } from '../../common/concurrency/in-slices.js';
import { type IdentifierKind, IDENTIFIER_KINDS } from '../entities/audience-identifier.entity.js';

/**
 * An identifier as a comparable text: a character for its kind, then the SHA-256 in lower-case hexadecimal. The texts
 * sort by kind and hash.
 */
export type IdentifierKey = string;

const FIRST_KIND = 'a'.charCodeAt(0);
const CODES = IDENTIFIER_KINDS.map((_, kind) => String.fromCharCode(FIRST_KIND + kind));

/** The key of a hash in lower case. */
export const identifierKeyOf = (kind: number, hash: string): IdentifierKey => CODES[kind] + hash;

const kindOf = (key: IdentifierKey): number => key.charCodeAt(0) - FIRST_KIND;
const hashOf = (key: IdentifierKey): string => key.slice(1);

/** The key of an unhashed identifier. Clients send partner_user_id unhashed; the server hashes it before storing it. */
export const hashedKey = (kind: IdentifierKind, text: string): IdentifierKey =>
  identifierKeyOf(IDENTIFIER_KINDS.indexOf(kind), digest('sha256', text, 'hex'));

/** Identifiers as statement parameters: one byte for each kind, 32 bytes for each hash. */
export interface PackedIdentifiers {
  kinds: Buffer;
  hashes: Buffer;
}

export async function pack(keys: readonly IdentifierKey[]): Promise<PackedIdentifiers> {
  const packed = emptyPack(keys.length);
  await inSlices(keys.entries(), ([at, key]) => put(packed, at, key));
  return packed;
}

const emptyPack = (count: number): PackedIdentifiers => ({
  kinds: Buffer.allocUnsafe(count),
  hashes: Buffer.allocUnsafe(count * 32),
});

function put({ kinds, hashes }: PackedIdentifiers, at: number, key: IdentifierKey): void {
  kinds[at] = kindOf(key);
  hashes.write(hashOf(key), at * 32, 'hex');
}

/**
 * The number of the person with this first identifier: 64 bits computed from all of it, as two 32-bit integers. A
 * BigInt would cost more than this function.
 */
function personWords(kind: number, hashes: Buffer, offset: number): [high: number, low: number] {
  let high = Math.imul(kind + 1, 0x9e3779b1);
  let low = ~high;
  for (let at = offset; at < offset + 32; at += 4) {
    const word = hashes.readInt32BE(at);
    high = Math.imul(high ^ word, 0x85ebca6b);
    high ^= high >>> 13;
    low = Math.imul(low ^ word ^ (high << 7), 0xc2b2ae35);
    low ^= low >>> 16;
  }
  return [high, low];
}

/** The numbers of the people with these first identifiers, as a statement parameter of type `bigint[]`. */
export async function packPeople({ kinds, hashes }: PackedIdentifiers): Promise<Buffer> {
  const people = int8Array(kinds.length);
  await inSlices(kinds.entries(), ([at, kind]) => people.setWords(at, ...personWords(kind, hashes, at * 32)));
  return people.parameter;
}

/** The number of one person. */
export function personOf(key: IdentifierKey): bigint {
  const packed = emptyPack(1);
  put(packed, 0, key);
  const [high, low] = personWords(packed.kinds[0], packed.hashes, 0);
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}
