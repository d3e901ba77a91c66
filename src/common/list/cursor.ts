import { createHash } from 'node:crypto';
import { invalid } from '../errors/catalogue.js';

const CHECK_BYTES = 8;

/**
 * Maximum length of the cursor of a list with `sort_by`. The longest text to sort by is a name of 271 characters: 255, and the id
 * in the name of an audience of a website. JSON writes a control character in six bytes, so a name takes at most 1,628. The other
 * values, with the id, take at most 250, and the check 8. In base64 these 1,886 bytes are 2,515 characters.
 */
export const MAX_CURSOR_LENGTH = 3_000;

/** The values after which the next page begins: those of the sort keys, then the id. */
export type CursorPosition = (string | number | boolean | null)[];

/**
 * Encodes a position as opaque text, bound to its listing: endpoint, account, sort and filters. The binding is not
 * secret: a forged cursor only moves within a listing that the client may read anyway.
 */
export function writeCursor(position: CursorPosition, listing: unknown): string {
  const content = Buffer.from(JSON.stringify(position));
  return Buffer.concat([checkOf(content, listing), content]).toString('base64url');
}

/** The position of a cursor; 400 when it was modified or belongs to another listing. */
export function readCursor(cursor: string, listing: unknown, length: number): CursorPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  const content = bytes.subarray(CHECK_BYTES);
  const intact =
    bytes.toString('base64url') === cursor && checkOf(content, listing).equals(bytes.subarray(0, CHECK_BYTES));
  const position = intact ? positionIn(content.toString()) : undefined;
  if (position?.length !== length) throw invalidCursor(cursor);
  return position;
}

/** Undefined for what only a forged cursor has: no JSON, no list, or a value that no column has. */
function positionIn(content: string): CursorPosition | undefined {
  try {
    const position = JSON.parse(content) as unknown;
    return Array.isArray(position) && position.every(isStorable) ? (position as CursorPosition) : undefined;
  } catch {
    return undefined;
  }
}

const isStorable = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.isWellFormed() && !value.includes('\0')
    : value === null || typeof value !== 'object';

/** The error for a cursor that does not belong to this listing. */
export const invalidCursor = (cursor: string) =>
  invalid('cursor', 'Expected the next_cursor of a page with the same parameters for cursor', {
    value: cursor,
    details: 'a cursor works only with the endpoint, account, sort_by and filters that it was created for',
  });

function checkOf(content: Buffer, listing: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(listing))
    .update('\0')
    .update(content)
    .digest()
    .subarray(0, CHECK_BYTES);
}
