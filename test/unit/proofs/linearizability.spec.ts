import fc from 'fast-check';
import { isLinearizable, type Operation } from '../../../scripts/proofs/support/linearizability.js';

type Value = number | null;
const wrote = (from: number, to: number | undefined, value: Value): Operation<Value> => ({
  from,
  to,
  apply: () => value,
});
const read = (from: number, to: number, value: Value): Operation<Value> => ({
  from,
  to,
  apply: (found) => (found === value ? found : undefined),
  isRead: true,
});
const holds = (...operations: Operation<Value>[]) => isLinearizable(operations, 0, String);

describe('the check of linearizability', () => {
  it('takes what happened one after the other, or at once', () => {
    expect(holds()).toBe(true);
    expect(holds(wrote(0, 1, 1), read(2, 3, 1))).toBe(true);
    expect(holds(wrote(0, 5, 1), read(1, 2, 0), read(3, 4, 1))).toBe(true);
    expect(holds(wrote(0, 9, 1), wrote(0, 9, 2), read(10, 11, 1))).toBe(true);
  });

  it('refuses an old value after a new one, a value that nobody wrote, and one that was lost', () => {
    expect(holds(wrote(0, 1, 1), read(2, 3, 0))).toBe(false);
    expect(holds(read(0, 1, 7))).toBe(false);
    expect(holds(wrote(0, 9, 1), read(1, 2, 1), read(3, 4, 0))).toBe(false);
    expect(holds(wrote(0, 1, 1), wrote(2, 3, 2), read(4, 5, 1))).toBe(false);
  });

  it('lets a write without an answer happen at any time after it, or never', () => {
    expect(holds(wrote(0, undefined, 1), read(2, 3, 0), read(4, 5, 1))).toBe(true);
    expect(holds(wrote(0, undefined, 1), read(2, 3, 0))).toBe(true);
    expect(holds(wrote(0, undefined, 1), read(2, 3, 1), read(4, 5, 0))).toBe(false);
    expect(holds(read(0, 1, 1), wrote(2, undefined, 1))).toBe(false);
  });

  it('says what trying every order says', () => {
    const step = fc.record({
      isWrite: fc.boolean(),
      value: fc.integer({ min: 0, max: 2 }),
      from: fc.integer({ min: 0, max: 12 }),
      lasts: fc.integer({ min: 1, max: 6 }),
      isLost: fc.boolean(),
    });
    const verdicts = new Set<boolean>();
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        const history = steps.map(({ isWrite, value, from, lasts, isLost }) =>
          isWrite ? wrote(from, isLost ? undefined : from + lasts, value) : read(from, from + lasts, value),
        );
        const verdict = anyOrder(history, 0);
        verdicts.add(verdict);
        expect(holds(...history)).toBe(verdict);
      }),
      { numRuns: 2_000 },
    );
    expect(verdicts.size).toBe(2);
  });

  it('takes every history of a register that has its effects at once', () => {
    const step = fc.record({
      isWrite: fc.boolean(),
      value: fc.integer({ min: 1, max: 4 }),
      before: fc.integer({ min: 0, max: 20 }),
      after: fc.integer({ min: 0, max: 20 }),
      isLost: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        let value = 0;
        const history = steps.map(({ isWrite, value: next, before, after, isLost }, i) => {
          const [from, to] = [i * 4 - before, i * 4 + after];
          if (!isWrite) return read(from, to, value);
          value = next;
          return wrote(from, isLost ? undefined : to, next);
        });
        expect(holds(...history)).toBe(true);
        expect(holds(...history, read(0, 500, 9))).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

/** Tries each order of operations that may come first; those without an answer may be left out. */
function anyOrder(left: readonly Operation<Value>[], state: Value): boolean {
  if (left.every(({ to }) => to === undefined)) return true;
  const firstEnd = Math.min(...left.map(({ to = Infinity }) => to));
  return left.some((operation, i) => {
    if (operation.from > firstEnd) return false;
    const next = operation.apply(state);
    return next !== undefined && anyOrder(left.toSpliced(i, 1), next);
  });
}
