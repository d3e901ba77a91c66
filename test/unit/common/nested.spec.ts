import { missing } from '../../../src/common/errors/catalogue.js';
import { ApiErrors } from '../../../src/common/errors/api-error.js';
import { Rule } from '../../../src/common/http/params/dto-metadata.js';
import { Int, Text } from '../../../src/common/http/params/fields.js';
import { nested, part, partByType, partList, partTuple, type Part } from '../../../src/common/http/params/parts.js';
import { reading } from '../../support/reading.js';

const read = (of: Part, given: unknown) => {
  const value = reading(nested(of))(given, 'p');
  return value instanceof ApiErrors ? value.errors.map(({ code, detail }) => `${code} ${detail.parameter}`) : value;
};

@Rule(['width', 'height'], ({ width, height }: Pick<Size, 'width' | 'height'>, at) =>
  height! > width ? missing(at('depth')) : undefined,
)
class Size {
  @Int({ min: 1, max: 9 }) width: number;
  @Int({ min: 1, max: 9, absentIfEmpty: true }) height?: number;
}
const size = part(Size);

class A {
  @Text() type: 'A';
  @Text() a: string;
}
class B {
  @Text() type: 'B';
  @Text() b: string;
}

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
    const kinds = partByType({ A, B });
    expect(read(kinds, { type: 'A', a: 'x', b: 'y' })).toEqual({ type: 'A', a: 'x' });
    expect(read(kinds, { type: 'B', a: 'x' })).toEqual(['MISSING_PARAMETER p.b']);
    expect(read(kinds, { a: 'x' })).toEqual(['MISSING_PARAMETER p.type']);
    for (const type of ['C', null, 'toString', ['A']])
      expect(read(kinds, { type })).toEqual(['INVALID_PARAMETER p.type']);
    expect(read(kinds, 7)).toEqual(['INVALID_PARAMETER p']);
  });

  it('is a list of so many', () => {
    const list = partList(size, { min: 1, max: 3 });
    expect(read(list, [{ width: 1 }, { width: 2 }])).toEqual([{ width: 1 }, { width: 2 }]);
    expect(read(list, [{ width: 1 }, {}, 7])).toEqual(['MISSING_PARAMETER p[1].width', 'INVALID_PARAMETER p[2]']);
    for (const none of [[], Array(4).fill({}), {}, 'x']) expect(read(list, none)).toEqual(['INVALID_PARAMETER p']);
  });

  it('is a list with its own reader in each place', () => {
    const tuple = partTuple({ part: part(A), what: 'an A' }, { part: size, what: 'a size' });
    const a = { type: 'A', a: 'x' };
    expect(read(tuple, [a, { width: 1 }])).toEqual([a, { width: 1 }]);
    expect(read(tuple, [7])).toEqual(['INVALID_PARAMETER p[0]', 'MISSING_PARAMETER p[1]']);
    expect(read(tuple, [a, { width: 1 }, 'y'])).toEqual(['INVALID_PARAMETER p']);
  });
});
