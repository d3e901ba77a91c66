import type { ServableCampaign, ServableItem } from '../../../src/campaigns/spending/servable-items.statements.js';
import { Budgets } from '../../../src/statistics/delivery/budgets.js';

describe('what a line item should spend on a day', () => {
  const budgets = new Budgets(new Map(), [], new Map());
  const daily = (item: Partial<ServableItem>, campaign: Partial<ServableCampaign>) =>
    budgets.dailyOf(
      {
        dailyBudgetAmountLocalMicro: null,
        totalBudgetAmountLocalMicro: null,
        startTime: '2026-10-01T00:00:00Z',
        endTime: '2026-10-11T00:00:00Z',
        ...item,
      } as ServableItem,
      {
        budgetOptimization: 'CAMPAIGN',
        dailyBudgetAmountLocalMicro: null,
        totalBudgetAmountLocalMicro: null,
        items: 4,
        ...campaign,
      } as ServableCampaign,
    );
  const OWN = { budgetOptimization: 'LINE_ITEM' } as const;

  it.each([
    ['its daily budget', { dailyBudgetAmountLocalMicro: 7, totalBudgetAmountLocalMicro: 100 }, OWN, 7],
    ['its total over the flight', { totalBudgetAmountLocalMicro: 100 }, OWN, 10],
    [
      'its total over the flight, with the hour of a longer day',
      { totalBudgetAmountLocalMicro: 2_420, endTime: '2026-10-11T01:00:00Z' },
      OWN,
      241,
    ],
    ['its total over the flight, whatever its campaign has', { totalBudgetAmountLocalMicro: 100 }, { ...OWN, dailyBudgetAmountLocalMicro: 8 }, 10], // prettier-ignore
    [
      'its part of the day of its campaign',
      { totalBudgetAmountLocalMicro: 100 },
      { dailyBudgetAmountLocalMicro: 8 },
      2,
    ],
    ['its part of the total of its campaign', {}, { totalBudgetAmountLocalMicro: 400 }, 10],
    [
      'unknown for a total without an end',
      { totalBudgetAmountLocalMicro: 100, endTime: '9999-12-30 00:00:00+00' },
      OWN,
      null,
    ],
    ['unknown without any budget', {}, {}, null],
  ] as const)('is %s', (_, item, campaign, expected) => expect(daily(item, campaign)).toBe(expected));
});
