import fc from 'fast-check';
import { windowInAudience, windowInList } from '../../../src/audiences/audience-users/validity-window.rules.js';

const expiryAt = (now: string) => new Date(windowInAudience({}, new Date(now)).expiresAt).toISOString();

describe('the validity of uploaded users', () => {
  it.each([
    ['2026-01-31T10:00:00.000Z', '2027-02-28T10:00:00.000Z'],
    ['2027-01-30T10:00:00.000Z', '2028-02-29T10:00:00.000Z'],
    ['2026-03-31T10:00:00.000Z', '2027-04-30T10:00:00.000Z'],
    ['2026-03-15T10:00:00.000Z', '2027-04-15T10:00:00.000Z'],
    ['2026-12-31T23:59:59.000Z', '2028-01-31T23:59:59.000Z'],
  ])('ends 13 months after %s', (now, expected) => {
    expect(expiryAt(now)).toBe(expected);
    const until = (expires_at: string) => windowInList({ expires_at }, new Date(now));
    expect(until(expected).expiresAt).toBe(Date.parse(expected));
    expect(() => until(new Date(Date.parse(expected) + 1_000).toISOString())).toThrow('within 13 months');
  });

  it('ends in the 13th month after any day, at the same time of day', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('2020-01-01'), max: new Date('2050-01-01'), noInvalidDate: true }), (now) => {
        const then = new Date(windowInAudience({}, now).expiresAt);
        const months = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
        expect(months(then) - months(now)).toBe(13);
        expect(then.getTime() % 86_400_000).toBe(now.getTime() % 86_400_000);
      }),
    );
  });
});
