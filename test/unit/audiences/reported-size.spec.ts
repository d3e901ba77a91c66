import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import {
  NOISE_DEVIATION,
  normalOf,
  reportedRange,
  reportedSize,
} from '../../../src/audiences/privacy/reported-size.rules.js';

const people = fc.double({ min: -10_000, max: 50_000_000, noNaN: true });
const floors = fc.integer({ min: 100, max: 10_000 });
const digitsOf = (value: number) => `${value}`.replace(/0+$/, '').length;
/** The noise of a question, as the service makes it. */
const noiseOf = (question: string) =>
  NOISE_DEVIATION * normalOf(createHmac('sha256', 'a key').update(question).digest());

describe('a reported size', () => {
  it('has two significant digits, and is null exactly where it is below the floor', () => {
    fc.assert(
      fc.property(people, floors, (noisy, floor) => {
        const size = reportedSize(noisy, floor);
        expect(size === null).toBe(noisy < floor);
        if (size === null) return;
        expect(size).toBeGreaterThanOrEqual(floor);
        if (size !== floor) expect(digitsOf(size)).toBeLessThanOrEqual(2);
        expect(Math.abs(size - noisy)).toBeLessThanOrEqual(0.05 * noisy + 1e-6);
      }),
    );
  });

  it('has the noise of its first eight bytes, in each release', () => {
    // the radius of the least number, and half a turn
    expect(normalOf(Buffer.from('0000000080000000ff', 'hex'))).toBeCloseTo(-Math.sqrt(64 * Math.LN2), 9);
    expect(normalOf(Buffer.from('ffffffff80000000ff', 'hex'))).toBeCloseTo(0, 9);
  });

  it.each([
    [99.9, null],
    [100, 100],
    [104.9, 100],
    [996, 1_000],
    [1_049, 1_000],
    [1_050, 1_100],
    [1_234_567, 1_200_000],
  ])('%d is %p', (noisy, size) => expect(reportedSize(noisy, 100)).toBe(size));

  it('grows with the number of people', () => {
    fc.assert(
      fc.property(people, people, floors, (one, other, floor) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        expect(reportedSize(more, floor) ?? 0).toBeGreaterThanOrEqual(reportedSize(less, floor) ?? 0);
      }),
    );
  });
});

describe('a reported range', () => {
  it('holds 5 percent around the number between ends of two significant digits, or is from 0 to the floor', () => {
    fc.assert(
      fc.property(people, floors, fc.integer({ min: 1, max: 10_000 }), (noisy, floor, scale) => {
        const { min, max } = reportedRange(noisy, floor, scale);
        if (noisy < floor) return expect({ min, max }).toEqual({ min: 0, max: floor * scale });
        expect(min).toBeLessThanOrEqual(scale * Math.max(floor, 0.95 * noisy) + 1e-6);
        expect(max).toBeGreaterThanOrEqual(scale * 1.05 * noisy - 1e-6);
        expect(min).toBeGreaterThanOrEqual(floor * scale);
        expect(digitsOf(max / scale)).toBeLessThanOrEqual(2);
        if (min !== floor * scale) expect(digitsOf(min / scale)).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe('noise', () => {
  it('is normal: right in mean and deviation, and hardly related between questions', () => {
    const noise = Array.from({ length: 20_000 }, (_, n) => noiseOf(`question ${n}`));
    const mean = noise.reduce((sum, each) => sum + each, 0) / noise.length;
    const variance = noise.reduce((sum, each) => sum + (each - mean) ** 2, 0) / noise.length;
    const covariance =
      noise.slice(1).reduce((sum, each, n) => sum + (each - mean) * (noise[n] - mean), 0) / noise.length;
    expect(Math.abs(mean)).toBeLessThan(0.03 * NOISE_DEVIATION);
    expect(Math.abs(Math.sqrt(variance) - NOISE_DEVIATION)).toBeLessThan(0.03 * NOISE_DEVIATION);
    expect(Math.abs(covariance / variance)).toBeLessThan(0.03);
  });

  it('hides whether there are 99 people or 100, or 999 or 1,000: a guess from one answer is right about as often as not', () => {
    for (const min of [99, 999]) {
      let right = 0;
      for (let n = 0; n < 20_000; n++) {
        const isMember = n % 2 === 1;
        const size = reportedSize(min + Number(isMember) + noiseOf(`${min} ${n}`), 100) ?? 0;
        right += Number(size > min === isMember);
      }
      expect(Math.abs(right / 20_000 - 0.5)).toBeLessThan(0.02);
    }
  });

  it('is finite for any bytes', () => {
    for (const byte of [0, 255]) expect(Number.isFinite(normalOf(Buffer.alloc(32, byte)))).toBe(true);
  });
});
