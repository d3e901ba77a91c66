import type { Item } from '../inside/inside-api.js';

/** Something with a budget: a campaign, or a line item if the line items have the budgets. Amounts are in micro-units. */
export interface Paced {
  daily: number | null;
  total: number | null;
  /** The flight, in milliseconds. */
  start: number;
  end: number;
}

/**
 * What even pacing spends in each unit of time between these bounds, in micro-units: in its flight, a daily budget is spent
 * evenly over a day and a total budget evenly over the flight. The smaller one counts. Without a budget nothing is paced.
 */
export function evenPacing(bounds: readonly number[], paced: readonly Paced[], dayMs: number): number[] {
  return bounds.slice(1).map((end, i) => {
    const amounts = paced.map((each) => amountIn(each, bounds[i], end, dayMs));
    return amounts.reduce((sum, amount) => sum + amount, 0);
  });
}

function amountIn({ daily, total, start, end }: Paced, from: number, to: number, dayMs: number): number {
  const shared = Math.min(end, to) - Math.max(start, from);
  if (shared <= 0) return 0;
  const hasPace = total !== null && end !== Infinity;
  const rates = [...(daily === null ? [] : [daily / dayMs]), ...(hasPace ? [total / (end - start)] : [])];
  return rates.length === 0 ? 0 : Math.min(...rates) * shared;
}

/** A campaign or line item with a budget. */
export interface Budgeted {
  /** The campaign whose spend counts. */
  campaignId: string;
  paced: Paced;
}

const microOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The end of a flight; without one, it never comes, and a total budget has no even pace. */
const endOf = ({ end_time: end }: Item): number => (typeof end === 'string' ? Date.parse(end) : Infinity);

/** The budgets of campaigns and of their line items, as the API answers both. A campaign is paced in the flight of its line items. */
export function budgetsOf(campaigns: readonly Item[], lineItems: readonly Item[]): Budgeted[] {
  const flights = new Map<string, { start: number; end: number }[]>();
  const own: Budgeted[] = [];
  for (const item of lineItems) {
    const campaignId = String(item.campaign_id);
    const flight = { start: Date.parse(String(item.start_time)), end: endOf(item) };
    flights.set(campaignId, [...(flights.get(campaignId) ?? []), flight]);
    const [daily, total] = [item.daily_budget_amount_local_micro, item.total_budget_amount_local_micro].map(microOf);
    if (daily !== null || total !== null) own.push({ campaignId, paced: { daily, total, ...flight } });
  }
  const ofCampaigns = campaigns.flatMap((item): Budgeted[] => {
    const campaignId = String(item.id);
    const all = flights.get(campaignId);
    const [daily, total] = [item.daily_budget_amount_local_micro, item.total_budget_amount_local_micro].map(microOf);
    if (!all || item.budget_optimization === 'LINE_ITEM' || (daily === null && total === null)) return [];
    const start = Math.min(...all.map((each) => each.start));
    const end = Math.max(...all.map((each) => each.end));
    return [{ campaignId, paced: { daily, total, start, end } }];
  });
  const budgeted = new Set(ofCampaigns.map(({ campaignId }) => campaignId));
  return [...ofCampaigns, ...own.filter(({ campaignId }) => !budgeted.has(campaignId))];
}
