import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { ApiError } from '../../../src/common/errors/api-error.js';
import { readCursor, writeCursor } from '../../../src/common/list/cursor.js';

const position = fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), {
  minLength: 1,
  maxLength: 4,
});
const listing = fc.jsonValue();

const refused = (read: () => unknown) => {
  try {
    read();
    return false;
  } catch (error) {
    return error instanceof ApiError && error.status === 400 && error.detail.parameter === 'cursor';
  }
};

describe('a cursor', () => {
  it('leads back to its position', () => {
    fc.assert(
      fc.property(position, listing, (given, bound) => {
        expect(readCursor(writeCursor(given, bound), bound, given.length)).toEqual(given);
      }),
    );
  });

  it('is refused in any other listing', () => {
    fc.assert(
      fc.property(position, listing, listing, (given, one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(refused(() => readCursor(writeCursor(given, one), other, given.length))).toBe(true);
      }),
    );
  });

  it.each(['', '[', 'null', '1', '{"length":1}', '"x"', '[{}]', '[[1]]', '["a\\u0000b"]', '["\\ud800"]'])(
    'is refused with the content %s, whoever made it',
    (content) => {
      const check = createHash('sha256').update(`"here"\0${content}`).digest().subarray(0, 8);
      const forged = Buffer.concat([check, Buffer.from(content)]).toString('base64url');
      expect(refused(() => readCursor(forged, 'here', 1))).toBe(true);
    },
  );

  it('is refused with any character changed, added or taken away', () => {
    fc.assert(
      fc.property(
        position,
        fc.nat(),
        fc.constantFrom('change', 'add', 'remove'),
        fc.constantFrom(...'abcXYZ019-_'),
        (given, n, how, letter) => {
          const cursor = writeCursor(given, 'here');
          const at = n % cursor.length;
          const changed =
            cursor.slice(0, at) + (how === 'remove' ? '' : letter) + cursor.slice(how === 'add' ? at : at + 1);
          fc.pre(changed !== cursor);
          expect(refused(() => readCursor(changed, 'here', given.length))).toBe(true);
        },
      ),
    );
  });

  it('is refused when it is no cursor at all', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(refused(() => readCursor(text, 'here', 1))).toBe(true)));
  });
});
