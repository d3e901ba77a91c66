import { Transform } from 'node:stream';
import type { ApiError } from '../errors/api-error.js';
import { invalid } from '../errors/catalogue.js';

/** Either alphabet of RFC 4648 (4 and 5), padded or not; lines may be broken, as RFC 2045 does. */
const ALPHABET = /^[A-Za-z0-9+/_-]*={0,2}$/;

const notBase64 = (parameter: string): ApiError =>
  invalid(parameter, `Expected base64 for ${parameter}`, { details: 'RFC 4648, 4' });

/** The bytes of a base64 text; throws 400 where it is none. */
export function decodedBase64(text: string, parameter: string): Buffer {
  const dense = text.replace(/\s+/g, '');
  const bare = dense.replace(/=+$/, '');
  const isPadded = bare.length < dense.length;
  if (!ALPHABET.test(dense) || bare.length % 4 === 1 || (isPadded && dense.length % 4 !== 0))
    throw notBase64(parameter);
  return Buffer.from(dense, 'base64');
}

/** The same for a text that arrives in pieces. */
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
      padded = piece.endsWith('=');
      done(null, Buffer.from(piece, 'base64'));
    },
    flush(done) {
      if (left === '') return done(null);
      if (padded || left.length < 2 || left.includes('=') || !ALPHABET.test(left)) return done(notBase64(parameter));
      done(null, Buffer.from(left, 'base64'));
    },
  });
}
