import type { FactColumn } from '../../../src/statistics/account-statistics/metrics.js';
import type { Report } from '../../../src/statistics/reports/report.js';
import { presentSegments } from '../../../src/workbench/statistics/campaign-figures.presenter.js';

const part = (name: string, impressions: number, charge: number) => ({
  segment: { name, value: name },
  counts: new Map<FactColumn, number[]>([
    ['impressions', [impressions]],
    ['billedChargeLocalMicro', [charge]],
  ]),
});

it('segments add up over entities, the largest first, with what was spent in the currency of the account', () => {
  const entities = [
    { currency: 'USD', parts: [part('Tea', 10, 1_000_000), part('Milk', 30, 2_000_000)] },
    { currency: 'EUR', parts: [part('Tea', 50, 9_000_000)] },
  ];
  expect(presentSegments({ entities } as unknown as Report, 'USD')).toEqual({
    bars: [
      { name: 'Tea', impressions: '60', spend: '1.00 USD', width: '100%' },
      { name: 'Milk', impressions: '30', spend: '2.00 USD', width: '50%' },
    ],
    more: 0,
  });
});
