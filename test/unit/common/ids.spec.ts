import { newId, newNumber } from '../../../src/common/entity/ids.js';

describe('ids', () => {
  it('have 13 characters of base 36 and grow with every one made', () => {
    const at = new Date('2026-11-21T00:00:00Z');
    const ids = Array.from({ length: 5_000 }, (_, i) => newId(new Date(at.getTime() + (i >> 4))));
    expect(ids.every((id) => /^[0-9a-z]{13}$/.test(id))).toBe(true);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('keep their order and length for decades', () => {
    const years = [2020, 2026, 2050, 2085].map((year) => newId(new Date(Date.UTC(year, 5, 1))));
    expect([...years].sort()).toEqual(years);
    expect(years.map((id) => id.length)).toEqual([13, 13, 13, 13]);
  });

  it('are numbers below 2^53 for users and posts', () => {
    const numbers = Array.from({ length: 5_000 }, () => newNumber(new Date('2085-01-01T00:00:00Z')));
    expect(numbers.every((each) => Number.isSafeInteger(Number(each)))).toBe(true);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
