import { percentDecode, percentEncode } from './percent.js';
import { ProtocolViolation } from './protocol-violation.js';

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
