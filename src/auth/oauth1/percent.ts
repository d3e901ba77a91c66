export { decodeForm, pairsOf } from '../../common/http/form-encoding.js';

const PLAIN = /^[A-Za-z0-9\-._~]*$/;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** RFC 3986, as RFC 5849 3.6 wants it: everything but letters, digits, `-._~` becomes upper-case escapes of its UTF-8. */
export function percentEncode(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text.replace(LONE_SURROGATES, '\uFFFD')).replace(/[!'()*]/g, escapeOf);
}

/** Undoes escapes only, as in the Authorization header, where `+` is a plus sign; undefined when one is broken. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const escapeOf = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
