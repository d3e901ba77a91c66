import { percentDecode, percentEncode } from './percent.js';

type ProtocolViolationKind =
  'missing' | 'method' | 'version' | 'nonce' | 'timestamp-format' | 'out-of-bounds' | 'repeated' | 'malformed';

/** The protocol parameters are invalid. The message names the parameter and may be shown to the client. */
export class ProtocolViolation {
  constructor(
    readonly kind: ProtocolViolationKind,
    readonly message: string,
  ) {}
}

/** A parsed `Authorization: OAuth` header: its decoded parameters in order, and the realm, which is not signed. */
export interface OAuthHeader {
  pairs: [string, string][];
  realm?: string;
}

const SCHEME = /^\s*OAuth(?:\s+|$)/i;
/**
 * One `name="value"` or `name=value` with the comma or end after it; the text between commas may be empty. No two parts
 * of it can match the same space: otherwise the time for a row of spaces would grow with its square.
 */
const PARAMETER = /\s*(?:([^\s=,"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"\s*|([^\s,"]+)\s*|))?(?:,|$)/y;
const MAX_CHARACTERS = 8_192;
const MAX_PARAMETERS = 64;

/** True if a header has the OAuth 1.0a scheme, not Basic or Bearer. */
export const isOAuthHeader = (header: string): boolean => SCHEME.test(header);

/** Parses RFC 5849 3.5.1, as tolerant about layout as existing clients need. */
export function parseAuthorization(header: string): OAuthHeader | ProtocolViolation {
  if (header.length > MAX_CHARACTERS) return malformed(`is longer than ${MAX_CHARACTERS} characters`);
  const scheme = SCHEME.exec(header);
  if (!scheme) return malformed('does not begin with "OAuth"');

  const parsed: OAuthHeader = { pairs: [] };
  PARAMETER.lastIndex = scheme[0].length;
  while (PARAMETER.lastIndex < header.length) {
    const at = PARAMETER.lastIndex;
    const match = PARAMETER.exec(header);
    if (!match) return malformed(`is malformed at character ${at + 1}`);
    if (match[1] === undefined) continue;

    const name = percentDecode(match[1]);
    if (name === 'realm') {
      parsed.realm = match[2]?.replace(/\\(.)/g, '$1') ?? match[3] ?? '';
      continue;
    }
    const value = percentDecode(match[2] ?? match[3] ?? '');
    if (name === undefined || value === undefined) return malformed(`has a broken percent escape in ${match[1]}`);
    if (parsed.pairs.push([name, value]) > MAX_PARAMETERS)
      return malformed(`has more than ${MAX_PARAMETERS} parameters`);
  }
  return parsed;
}

/** The header for these parameters. */
export const formatAuthorization = (pairs: [string, string][]): string =>
  `OAuth ${pairs.map(([name, value]) => `${percentEncode(name)}="${percentEncode(value)}"`).join(', ')}`;

const malformed = (name: string) => new ProtocolViolation('malformed', `The Authorization header ${name}`);

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

/** RFC 6750 2.1, and `%`, because some clients do not decode a percent-encoded token. */
const BEARER = /^Bearer ([A-Za-z0-9._~+/%-]{1,1000}=*)$/i;

export const isBearerHeader = (header: string): boolean => /^\s*Bearer(\s|$)/i.test(header);

/** The token of a Bearer header; undefined where the header has another scheme or is malformed. */
export const readBearer = (header: string): string | undefined => BEARER.exec(header)?.[1];
