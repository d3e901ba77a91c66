import { budgetsOf, evenPacing } from '../../../src/workbench/statistics/pacing.js';
import { conversionColumns } from '../../../src/workbench/statistics/campaign-figures.presenter.js';
import { metricsOf } from '../../../src/statistics/account-statistics/metrics.js';

const DAY = 86_400_000;

it('paces daily budgets over days and total budgets over the flight; the smaller one counts', () => {
  const bounds = [0, DAY, 2 * DAY, 2.5 * DAY];
  const always = { start: -10 * DAY, end: 10 * DAY };
  expect(evenPacing(bounds, [{ daily: 8, total: null, ...always }], DAY)).toEqual([8, 8, 4]);
  expect(evenPacing(bounds, [{ daily: null, total: 40, ...always }], DAY)).toEqual([2, 2, 1]);
  expect(evenPacing(bounds, [{ daily: 8, total: 40, ...always }], DAY)).toEqual([2, 2, 1]);
  const later = { daily: 8, total: null, start: 1.5 * DAY, end: 2 * DAY };
  expect(evenPacing(bounds, [later, later], DAY)).toEqual([0, 8, 0]);
  expect(evenPacing(bounds, [{ daily: null, total: null, ...always }], DAY)).toEqual([0, 0, 0]);
});

it('takes the budgets of campaigns, or those of their line items, in the flight of the line items', () => {
  const flight = (campaign_id: string, from: string, to: string, daily: number | null = null) => ({
    campaign_id,
    start_time: `2026-10-${from}T00:00:00Z`,
    end_time: `2026-10-${to}T00:00:00Z`,
    daily_budget_amount_local_micro: daily,
    total_budget_amount_local_micro: null,
  });
  const budget = { daily_budget_amount_local_micro: 5, total_budget_amount_local_micro: 70 };
  const campaigns = [
    { id: 'own', budget_optimization: 'CAMPAIGN', ...budget },
    { id: 'items', budget_optimization: 'LINE_ITEM', daily_budget_amount_local_micro: null },
    { id: 'empty', budget_optimization: 'CAMPAIGN', ...budget },
  ];
  const items = [flight('own', '02', '04'), flight('own', '03', '09'), flight('items', '05', '06', 9)];
  const at = (day: string) => Date.parse(`2026-10-${day}T00:00:00Z`);
  expect(budgetsOf(campaigns, items)).toEqual([
    { campaignId: 'own', paced: { daily: 5, total: 70, start: at('02'), end: at('09') } },
    { campaignId: 'items', paced: { daily: 9, total: null, start: at('05'), end: at('06') } },
  ]);
});

it('counts conversions once, and no views of landing pages, which are clicks', () => {
  const columns = conversionColumns(metricsOf('CAMPAIGN', ['ENGAGEMENT', 'WEB_CONVERSION', 'MOBILE_CONVERSION']));
  expect(columns).toContain('webPurchasesAfterView');
  expect(columns).toContain('mobileInstallsAfterEngagement');
  expect(columns).not.toContain('urlClicks');
  expect(columns).not.toContain('webSalesAfterView');
  expect(new Set(columns).size).toBe(columns.length);
});
