import { percentDecode } from './percent.js';

const MAX_HEADER_LENGTH = 2_048;
const HEADER = /^\s*Basic\s+([A-Za-z0-9+/_-]+={0,2})\s*$/i;
/** Keys and secrets are letters and digits. Percent-encoded ones are printable too. */
const PRINTABLE = /^[\x21-\x7e]+$/;

export const isBasicHeader = (header: string): boolean => /^\s*Basic(\s|$)/i.test(header);

/**
 * The key and secret of a Basic header, or undefined for one that is broken in any way: not base64, no colon, control
 * characters, huge. Clients may percent-encode both before base64 (RFC 6749 2.3.1).
 */
export function readBasic(header: string): { key: string; secret: string } | undefined {
  if (header.length > MAX_HEADER_LENGTH) return undefined;
  const encoded = HEADER.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const cut = text.indexOf(':');
  if (cut < 1 || !PRINTABLE.test(text)) return undefined;
  const key = percentDecode(text.slice(0, cut));
  const secret = percentDecode(text.slice(cut + 1));
  return key && secret && PRINTABLE.test(key) && PRINTABLE.test(secret) ? { key, secret } : undefined;
}
