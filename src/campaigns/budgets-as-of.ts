import { isInForce } from '../common/as-of/dated-changes.js';
import type { Campaign } from './entities/campaign.entity.js';

type Budgeted = Pick<Campaign, 'budgetOptimization' | 'standardDelivery'>;

/**
 * A campaign as it counts at a date: from the change of X on, the line items have the budgets, also of a campaign that was
 * created with `CAMPAIGN`. Its own budgets stay limits.
 */
export const campaignAsOf = <C extends Budgeted>(campaign: C, asOf: string | undefined): C =>
  isInForce('LINE_ITEM_BUDGETS', asOf) ? { ...campaign, budgetOptimization: 'LINE_ITEM' } : campaign;

/** The same in answers: the campaign does not say how line items spread their budgets. */
export const campaignInAnswers = <C extends Budgeted>(campaign: C, asOf: string | undefined): C =>
  isInForce('LINE_ITEM_BUDGETS', asOf)
    ? { ...campaign, budgetOptimization: 'LINE_ITEM', standardDelivery: null }
    : campaign;

/**
 * Whether a line item spreads its daily budget over the day: as it says, otherwise as its campaign did while that had the
 * budgets.
 */
export const spreadsBudget = (item: Pick<Budgeted, 'standardDelivery'>, campaign: Budgeted): boolean =>
  campaign.budgetOptimization === 'CAMPAIGN'
    ? (campaign.standardDelivery ?? true)
    : (item.standardDelivery ?? campaign.standardDelivery ?? true);
