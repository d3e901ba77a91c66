import { faultsOf, ordering, type Known, type Value } from '../../support/list-order.js';

const items = (columns: Record<string, Value[]>): Known[] =>
  Object.values(columns)[0].map((_, i) => ({
    id: 'abcdefghi'[i],
    values: Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[i]])),
  }));

describe('the order that the list suite expects', () => {
  const some = items({ amount: [2, null, 10, 2], flag: [true, false, null, true], name: ['Ä', 'z', 'a', 'ab'] });

  it('has gaps first, numbers as numbers, and texts byte by byte', () => {
    expect(ordering(some, ['amount-asc']).join('')).toBe('badc');
    expect(ordering(some, ['flag-asc']).join('')).toBe('cbad');
    expect(ordering(some, ['name-asc']).join('')).toBe('cdba');
  });

  it('closes by creation in the direction of the first key', () => {
    expect(ordering(some, ['amount-desc']).join('')).toBe('cdab');
    expect(ordering(some, ['flag-desc', 'name-asc']).join('')).toBe('dabc');
  });
});

describe('what the list suite can be sorted by', () => {
  const faults = (columns: Record<string, Value[]>, nullable: string[] = []) =>
    faultsOf(items(columns), Object.keys(columns), nullable);
  const created_at = [0, 1, 2, 3];

  it('is told apart from everything else', () => {
    expect(faults({ created_at, a: [2, 1, 2, null], b: [1, 2, 1, 0] }, ['a'])).toEqual([]);
  });

  it.each([
    ['is the same everywhere', { created_at, a: [7, 7, 7, 7] }, 'a is 7 everywhere'],
    ['grows with creation', { created_at, a: [1, 1, 2, 3] }, 'a-asc gives the same order as created_at-asc'],
    ['falls with creation', { created_at, a: [3, 2, 1, 0] }, 'a-asc gives the same order as created_at-desc'],
    ['grows with creation, which nobody sorts by', { a: [1, 1, 2, 3] }, 'a-asc gives the order of creation'],
    ['goes with another', { created_at, a: [1, 2, 1, 0], b: [4, 9, 4, 2] }, 'b-asc gives the same order as a-asc'],
    ['goes against another', { created_at, a: [2, 1, 3, 0], b: [1, 2, 0, 3] }, 'b-asc gives the same order as a-desc'],
    ['has no two alike', { created_at, a: [2, 1, 3, 0] }, 'a has no two alike'],
    ['could be null and is not', { created_at, a: [2, 1, 2, 0] }, 'a is null nowhere'],
  ])('does not do where it %s', (_, columns, fault) => {
    expect(faults(columns, ['a'])).toContain(fault);
  });
});
