import { InvalidValue } from '../../../src/common/http/invalid-value.js';
import { missing } from '../../../src/common/errors/catalogue.js';
import { readKinds, readList, readObject, readTuple } from '../../../src/common/http/nested.js';
import { readText, readWhole } from '../../../src/common/http/readers.js';

const read = (reader: (given: unknown, name: string) => unknown, given: unknown) => {
  const value = reader(given, 'p');
  return value instanceof InvalidValue
    ? value.toErrors('p').map(({ code, detail }) => `${code} ${detail.parameter}`)
    : value;
};

const size = readObject<{ width: number; height?: number }>(
  { width: { read: readWhole({ min: 1, max: 9 }) }, height: { read: readWhole({ min: 1, max: 9 }), optional: true } },
  {
    needs: ['width', 'height'],
    check: ({ width, height }, name) => (height! > width! ? [missing(`${name}.depth`)] : []),
  },
);

describe('what stands inside of parameters', () => {
  it('is an object of known members', () => {
    expect(read(size, { width: '3', height: 2, more: 1 })).toEqual({ width: 3, height: 2 });
    for (const height of [undefined, null, '']) expect(read(size, { width: 3, height })).toEqual({ width: 3 });
    expect(read(size, { width: 0, height: 10 })).toEqual(['INVALID_PARAMETER p.width', 'INVALID_PARAMETER p.height']);
    for (const width of [null, '']) expect(read(size, { width })).toEqual(['INVALID_PARAMETER p.width']);
    expect(read(size, {})).toEqual(['MISSING_PARAMETER p.width']);
    for (const none of [null, [], 'x', 1]) expect(read(size, none)).toEqual(['INVALID_PARAMETER p']);
    expect(read(size, Object.create({ width: 3 }))).toEqual(['MISSING_PARAMETER p.width']);
  });

  it('keeps rules that need what could be read alone', () => {
    expect(read(size, { width: 1, height: 2 })).toEqual(['MISSING_PARAMETER p.depth']);
    expect(read(size, { width: 1, height: 'x' })).toEqual(['INVALID_PARAMETER p.height']);
  });

  it('is told apart by its type', () => {
    const kinds = readKinds<{ type: 'A'; a: string } | { type: 'B'; b: string }>({
      A: readObject({ a: { read: readText({ min: 1 }) } }),
      B: readObject({ b: { read: readText({ min: 1 }) } }),
    });
    expect(read(kinds, { type: 'A', a: 'x', b: 'y' })).toEqual({ type: 'A', a: 'x' });
    expect(read(kinds, { type: 'B', a: 'x' })).toEqual(['MISSING_PARAMETER p.b']);
    expect(read(kinds, { a: 'x' })).toEqual(['MISSING_PARAMETER p.type']);
    for (const type of ['C', null, 'toString', ['A']])
      expect(read(kinds, { type })).toEqual(['INVALID_PARAMETER p.type']);
    expect(read(kinds, 7)).toEqual(['INVALID_PARAMETER p']);
  });

  it('is a list of so many', () => {
    const list = readList(size, { min: 1, max: 3 });
    expect(read(list, [{ width: 1 }, { width: 2 }])).toEqual([{ width: 1 }, { width: 2 }]);
    expect(read(list, [{ width: 1 }, {}, 7])).toEqual(['MISSING_PARAMETER p[1].width', 'INVALID_PARAMETER p[2]']);
    for (const none of [[], Array(4).fill({}), {}, 'x']) expect(read(list, none)).toEqual(['INVALID_PARAMETER p']);
  });

  it('is a list with its own reader in each place', () => {
    const tuple = readTuple<unknown>([
      { read: readText({ min: 1 }), what: 'a text' },
      { read: size, what: 'a size' },
    ]);
    expect(read(tuple, ['x', { width: 1 }])).toEqual(['x', { width: 1 }]);
    expect(read(tuple, [{}])).toEqual(['INVALID_PARAMETER p[0]', 'MISSING_PARAMETER p[1]']);
    expect(read(tuple, ['x', { width: 1 }, 'y'])).toEqual(['INVALID_PARAMETER p']);
  });
});
