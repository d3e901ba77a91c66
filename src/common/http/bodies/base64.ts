import { Transform } from 'node:stream';
import type { ApiError } from '../../errors/api-error.js';
import { invalid } from '../../errors/catalogue.js';

/** Either alphabet of RFC 4648 (4 and 5), with or without padding; line breaks are allowed, as in RFC 2045. */
const ALPHABET = /^[A-Za-z0-9+/_-]*={0,2}$/;

const notBase64 = (parameter: string): ApiError =>
  invalid(parameter, `Expected base64 for ${parameter}`, { details: 'RFC 4648, 4' });

/** Classes of bytes: in the alphabet, padding, white space, or invalid in base64. */
const OF_ALPHABET = 1;
const PADDING = 2;
const SPACE = 3;
const KINDS = new Uint8Array(256);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  KINDS[code] = character === '=' ? PADDING : ALPHABET.test(character) ? OF_ALPHABET : /\s/.test(character) ? SPACE : 0;
}

/** Decodes a base64 text; throws 400 for an invalid one. Scans the text, which may have megabytes, once. */
export function decodedBase64(text: string, parameter: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  let bare = 0;
  let padding = 0;
  for (let at = 0; at < bytes.length; at++) {
    const kind = KINDS[bytes[at]];
    if (kind === SPACE) continue;
    if (kind === PADDING) padding++;
    else if (kind === OF_ALPHABET && padding === 0) bytes[bare++] = bytes[at];
    else throw notBase64(parameter);
  }
  if (padding > 2 || bare % 4 === 1 || (padding > 0 && (bare + padding) % 4 !== 0)) throw notBase64(parameter);
  return Buffer.from(bytes.toString('latin1', 0, bare), 'base64');
}

/** The same for a text that arrives in chunks. */
export function decodingBase64(parameter: string): Transform {
  let left = '';
  let padded = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const dense = left + chunk.toString('latin1').replace(/\s+/g, '');
      const whole = dense.length - (dense.length % 4);
      left = dense.slice(whole);
      const piece = dense.slice(0, whole);
      if (!ALPHABET.test(piece) || (padded && dense !== '')) return done(notBase64(parameter));
      padded ||= piece.endsWith('=');
      done(null, Buffer.from(piece, 'base64'));
    },
    flush(done) {
      if (left === '') return done(null);
      if (padded || left.length < 2 || left.includes('=') || !ALPHABET.test(left)) return done(notBase64(parameter));
      done(null, Buffer.from(left, 'base64'));
    },
  });
}
