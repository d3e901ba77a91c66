import fc from 'fast-check';
import { decodeForm, objectOf, pairsOf } from '../../../src/common/http/bodies/form-encoding.js';
import { ApiErrors } from '../../../src/common/errors/api-error.js';
import { BASE_36, bool, micro, oneOf, list, text, time, int } from '../../../src/common/http/params/fields.js';
import { reading } from '../../support/reading.js';

const messageOf = (value: unknown) => (value instanceof ApiErrors ? value.message : `taken: ${JSON.stringify(value)}`);
const readTime = reading(time());
const readExactTime = reading(time(true));
const readFlag = reading(bool);
const readMicro = reading(micro);

describe('times', () => {
  it.each([
    ['2022-06-15', '2022-06-15T00:00:00Z'],
    ['2022-06-15T10:00:00Z', '2022-06-15T10:00:00Z'],
    ['2022-06-15T10:00:00.999Z', '2022-06-15T10:00:00Z'],
    ['2022-06-15T10:00:00+02', '2022-06-15T08:00:00Z'],
    ['2022-06-15T10:00:00+0230', '2022-06-15T07:30:00Z'],
    ['2022-06-15T10:00:00-02:30', '2022-06-15T12:30:00Z'],
    ['2022-06-15T10:00:00 02:00', '2022-06-15T08:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['1970-01-01', '1970-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('%s is %s', (given, value) => expect(readTime(given, 'start_time')).toBe(value));

  it.each([
    '',
    'now',
    '2022-13-01',
    '2023-02-29',
    '2022-06-31',
    '2022-06-15T25:00:00Z',
    '15/06/2022',
    '1655251200',
    '2022-6-1',
    null,
    17,
    `2022-06-15T10:00:00.${'0'.repeat(60)}Z`,
    '1970-01-01T00:59:59+01:00',
    '0069-12-31',
    '9999-12-31T23:00:00-01:00',
  ])('%j is refused', (given) => {
    expect(messageOf(readTime(given, 'start_time'))).toMatch(/^Expected time, got .* for start_time$/);
  });

  it.each([
    ['2022-06-15T10:00:00.250Z', '2022-06-15T10:00:00.25Z'],
    ['2022-06-15T10:00:00.000Z', '2022-06-15T10:00:00Z'],
    ['2022-06-15T10:00:00.0000000010+02:00', '2022-06-15T08:00:00.000000001Z'],
  ])('%s keeps its fraction, without zeros at the end', (given, value) =>
    expect(readExactTime(given, 'start_time')).toBe(value),
  );

  it('survive any text', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(() => readTime(text, 't')).not.toThrow()));
  });
});

describe('flags', () => {
  it.each(['true', 'True', 'TRUE', 't', '1', true, 1])('%j is true', (given) =>
    expect(readFlag(given, 'f')).toBe(true),
  );
  it.each(['false', 'False', 'f', '0', false, 0])('%j is false', (given) => expect(readFlag(given, 'f')).toBe(false));
  it.each(['yes', '', 'no', '2', 'constructor', '__proto__', null, ['true'], {}, { toString: false }] as unknown[])(
    '%j is refused',
    (given) =>
      expect(messageOf(readFlag(given, 'with_deleted'))).toMatch(/^Expected Boolean, got .* for with_deleted$/),
  );
});

describe('whole numbers', () => {
  const read = reading(int(1, 1000));
  it.each([1, '1', 1000, '0999'])('%j is taken', (given) => expect(read(given, 'count')).toBe(Number(given)));
  it.each([0, 1001, '-1', '1.5', 1.5, '1e2', '', ' 1', 'ten', null, true, [1], '99999999999999999999'])(
    '%j is refused',
    (given) => expect(read(given, 'count')).toBeInstanceOf(ApiErrors),
  );
});

describe('amounts', () => {
  it.each(['5.50', ' 5,50 ', 'USD 5.5', '5.5EUR', '$5.5', '5.5 €'])('%j gets the hint of its micro-units', (given) => {
    const value = readMicro(given, 'bid_amount_local_micro') as ApiErrors;
    const { hint } = value.errors[0];
    expect(typeof hint === 'function' && hint()).toContain('send 5500000');
  });

  it.each(['5500000.0', '5.00', '5500000,0'])('%j is told to leave its fraction out', (given) => {
    const { hint } = (readMicro(given, 'bid_amount_local_micro') as ApiErrors).errors[0];
    expect(typeof hint === 'function' && hint()).toBe(
      `bid_amount_local_micro is in micro-units of the currency, and 1000000 is one unit: leave the fraction of "${given}" out.`,
    );
  });

  it.each([
    ['5500000 ', ': leave the whitespace around "5500000 " out.'],
    ['\t5500000', ': leave the whitespace around "\t5500000" out.'],
    ['5500000.5', '.'],
    ['USD 5500000', '.'],
    ['1,000', '.'],
    ['5500,000', '.'],
  ])('%j may be in micro-units already', (given, end) => {
    const { hint } = (readMicro(given, 'bid_amount_local_micro') as ApiErrors).errors[0];
    expect(typeof hint === 'function' && hint()).toBe(
      `bid_amount_local_micro is in micro-units of the currency, and 1000000 is one unit${end}`,
    );
  });
});

describe('texts', () => {
  it('count code points, as the store does', () => {
    const read = reading(text({ max: 3 }));
    expect(read('😀😀😀', 'name')).toBe('😀😀😀');
    expect(read('😀😀😀😀', 'name')).toBeInstanceOf(ApiErrors);
  });

  it.each(['a\0b', '\ud800', 'x\udfffy'])('that no store keeps are refused: %j', (given) =>
    expect(reading(text())(given, 'name')).toBeInstanceOf(ApiErrors),
  );

  it.each([true, false, 17, 0, {}, ['a']])('are strings alone: %j is refused', (given) =>
    expect(messageOf(reading(text())(given, 'name'))).toBe(`Expected String, got ${JSON.stringify(given)} for name`),
  );

  // spaces, a zero-width space, a soft hyphen, a Hangul filler, a variation selector, the empty pattern of Braille
  it.each(['   ', '\t\n', '\u200b', '\u00ad', '\u3164', '\ufe0f', '\u2800', '\u00a0\u2060\ufeff'])(
    'show something where they are names: %j does not',
    (given) => {
      expect(reading(text({ visible: true }))(given, 'name')).toBeInstanceOf(ApiErrors);
      expect(reading(text())(given, 'note')).toBe(given);
    },
  );
  it.each(['a', ' 1 ', '☕', '👩‍🚀', 'あ', '.', '\u200bx'])('%j does', (given) =>
    expect(reading(text({ visible: true }))(given, 'name')).toBe(given),
  );

  it('say nothing of infinity', () => {
    expect(messageOf(reading(text({ min: 1, max: Infinity, matching: BASE_36 }))('', 'user_id'))).toBe(
      'Expected String of at least 1 character, got "" for user_id',
    );
  });

  it('may be whole numbers where other answers show them so, as long as no digit is lost', () => {
    const read = reading(text({ orNumber: true }));
    expect(read(10_019_023_543, 'targeting_value')).toBe('10019023543');
    for (const given of [1.5, 2 ** 53, NaN, true]) expect(read(given, 'targeting_value')).toBeInstanceOf(ApiErrors);
  });

  it('name what an id has to look like', () => {
    expect(messageOf(reading(text({ min: 1, matching: BASE_36 }))('Abc!', 'campaign_id'))).toBe(
      'Expected String in base-36 format, got "Abc!" for campaign_id',
    );
  });
});

describe('ids', () => {
  const read = reading(text({ min: 1, matching: BASE_36 }));
  it('are read as small letters', () => expect(read('18CE54d4X5t', 'id')).toBe('18ce54d4x5t'));
  // the Kelvin sign, whose small letter is k
  it.each(['\u212a', '18ce-54', 'é', ''])('%j is none', (given) => expect(read(given, 'id')).toBeInstanceOf(ApiErrors));
});

describe('lists', () => {
  const read = reading(list(text({ min: 1, matching: BASE_36 }), { max: 3 }));
  it.each([
    ['a,b', ['a', 'b']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      ['a,b', 'c'],
      ['a', 'b', 'c'],
    ],
    ['a, b,a', ['a', 'b']],
  ])('%j is %j', (given, value) => expect(read(given, 'ids')).toEqual(value));
  it.each(['', 'a,,b', ',', 'a,b,c,d', ['a', ''], 'A!', null])('%j is refused', (given) =>
    expect(read(given, 'ids')).toBeInstanceOf(ApiErrors),
  );
  it('name the allowed values', () => {
    expect(messageOf(reading(list(oneOf(['A', 'B'])))('A,X', 'kinds'))).toBe(
      'Expected a value in A, B, got "X" for kinds',
    );
  });
});

describe('query strings', () => {
  it('keep order, repetition and empty values', () => {
    expect(pairsOf('b=2&a=1&b=3&c=&d&=x')).toEqual([
      ['b', '2'],
      ['a', '1'],
      ['b', '3'],
      ['c', ''],
      ['d', ''],
      ['', 'x'],
    ]);
    expect(objectOf(pairsOf('b=2&a=1&b=3&b=4'))).toEqual({ a: '1', b: ['2', '3', '4'] });
  });

  it('are decoded as the runtime does, where that can', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 12 }), (bytes) => {
        const escaped = bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
        const decoded = decodeForm(escaped);
        try {
          expect(decoded).toBe(decodeURIComponent(escaped));
        } catch (error) {
          if (!(error instanceof URIError)) throw error;
          expect(decoded).toBe(escaped);
        }
      }),
    );
  });

  it('take a plus for a space and leave a stray percent sign alone', () => {
    expect(decodeForm('a+b%20c%2B')).toBe('a b c+');
    expect(decodeForm('100%+%zz%C3%A9')).toBe('100% %zzé');
    expect(decodeForm('%F0%9F%98%80+%ED%A0%80+%C0%AF+%F4%90%80%80+%E2%82')).toBe(
      '😀 %ED%A0%80 %C0%AF %F4%90%80%80 %E2%82',
    );
  });

  it('decode a long text as they decode its parts', () => {
    for (const part of ['a+b%20c%2B', '%C3%A9%F0%9F%98%80 é', '100%', '%zz%41+%E9 %C3%A9']) {
      const times = 20_000;
      expect(decodeForm(`${part} `.repeat(times))).toBe(`${decodeForm(part)} `.repeat(times));
    }
  });

  it('cannot reach a prototype', () => {
    expect(objectOf(pairsOf('__proto__=1&constructor=2'))).toEqual({ constructor: '2' });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('read back what URLSearchParams writes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))),
        (pairs) => {
          expect(pairsOf(new URLSearchParams(pairs).toString())).toEqual(pairs);
        },
      ),
    );
  });
});
