import { createHash } from 'node:crypto';
import { invalid } from '../errors/catalogue.js';

const CHECK_BYTES = 8;

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
