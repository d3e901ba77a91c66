import fc from 'fast-check';
import { MAX_VALUE } from '../../../src/auth/masking.js';
import { excerptOf } from '../../../src/workbench/journal/captured-request.js';

const lengthOf = (value: unknown): number => JSON.stringify(value).length;

describe('the parameters of a large request', () => {
  it('stay as they are where they are small', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()), fc.jsonValue())), (given) => {
        expect(excerptOf(given)).toEqual(given);
      }),
    );
    expect(excerptOf(undefined)).toBeUndefined();
  });

  it('keep the beginning of long values, and the names of all', () => {
    const long = 'x'.repeat(1_000_000);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`p${i}`, 'y'.repeat(1_000)]));
    const kept = excerptOf({ long, list: ['a', long], ...many }) as Record<string, string>;
    expect(kept.long).toBe(long.slice(0, 2 * MAX_VALUE + 1));
    expect(kept.list).toEqual(['a', kept.long]);
    expect(kept.p0).toBe(many.p0);
    expect(kept.p999).toBe('...');
    expect(Object.keys(kept)).toHaveLength(1_002);
    expect(lengthOf(kept)).toBeLessThan(100_000);
  });
});
