import fc from 'fast-check';
import { chartOf, paceOf, stackOf, stepFor, type ChartValue } from '../../../src/workbench/statistics/chart.js';

const unit = (spend: number, impressions: number): ChartValue => ({
  label: 'day',
  title: 'figures',
  spend,
  impressions,
});
const share = (text: string): number => Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]);

it('steps are 1, 2 or 5 times a power of ten, and four of them are enough', () => {
  expect([3, 4, 5, 9, 21, 1_000].map((highest) => stepFor(highest, 1))).toEqual([1, 1, 2, 5, 10, 500]);
  expect([stepFor(0, 0.01), stepFor(0.3, 0.01), stepFor(0, 1)]).toEqual([0.01, 0.1, 1]);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (highest) => {
      const step = stepFor(highest, 1);
      expect(4 * step).toBeGreaterThanOrEqual(highest * (1 - 1e-9));
      expect(['1', '2', '5']).toContain(step.toPrecision(1)[0]);
    }),
  );
});

it('nothing of a chart is outside of its plot, and the highest bar is above half of it', () => {
  const figures = fc
    .tuple(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.nat())
    .map(([one, other]) => unit(one, other));
  fc.assert(
    fc.property(fc.array(figures, { minLength: 1, maxLength: 100 }), (units) => {
      const { bars, segments, points, labels, lines } = chartOf(units, 0.01);
      for (const { y, height, x, width } of bars) {
        expect(share(y) + share(height)).toBeCloseTo(100, 2);
        expect(share(x) + share(width)).toBeLessThanOrEqual(100);
      }
      for (const { x1, x2, y1, y2 } of segments)
        for (const each of [x1, x2, y1, y2]) expect(share(each)).toBeLessThanOrEqual(100);
      expect([bars.length, segments.length, lines.length]).toEqual([units.length, units.length - 1, 5]);
      expect(points).toHaveLength(units.length > 31 ? 0 : units.length);
      expect(labels.length).toBeLessThanOrEqual(8);
      if (units.some(({ spend }) => spend > 0.05))
        expect(Math.max(...bars.map(({ height }) => share(height)))).toBeGreaterThanOrEqual(40);
    }),
  );
});

it('writes what the axes stand for', () => {
  const { lines, labels } = chartOf([unit(120, 45_000), unit(30, 0)], 0.01);
  expect(lines.map(({ y, spend, impressions }) => [y, spend, impressions])).toEqual([
    ['100%', '0', '0'],
    ['75%', '50', '20K'],
    ['50%', '100', '40K'],
    ['25%', '150', '60K'],
    ['0%', '200', '80K'],
  ]);
  expect(labels).toEqual([
    { x: '25%', text: 'day', isExtra: false },
    { x: '75%', text: 'day', isExtra: true },
  ]);
});

it('stacks the amounts of a unit from the ground up', () => {
  const { bars, lines } = stackOf([{ label: 'day', title: 'figures', amounts: [10, 0, 30] }], 0.01);
  expect(lines.at(-1)).toEqual({ y: '0%', spend: '40' });
  expect(bars[0].parts).toEqual([
    { series: 0, y: '75%', height: '25%' },
    { series: 2, y: '0%', height: '75%' },
  ]);
});

it('draws spend and even pacing from nothing', () => {
  const unit = (spent: number, paced: number) => ({ label: 'day', title: 'figures', spent, paced });
  const { spent, paced } = paceOf([unit(10, 20), unit(20, 40)], 0.01);
  expect(spent).toEqual([
    { x1: '0%', y1: '100%', x2: '50%', y2: '75%' },
    { x1: '50%', y1: '75%', x2: '100%', y2: '50%' },
  ]);
  expect(paced.at(-1)).toEqual({ x1: '50%', y1: '50%', x2: '100%', y2: '0%' });
});
