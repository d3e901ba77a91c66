import { closedSet } from '../../common/closed-set.js';
import type { AccountApproval } from '../../accounts/accounts/account.entity.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Campaign } from './campaign.entity.js';

/** The reasons that can be found here, of those that facts 8.6 knows, in the order in which they are told. */
export const REASONS_NOT_SERVABLE = closedSet('ReasonNotServable', [
  'PAUSED_BY_ADVERTISER',
  'INCOMPLETE',
  'ACCOUNT_UNDER_REVIEW',
  'ACCOUNT_REJECTED',
  'STARTS_IN_FUTURE',
  'BUDGET_EXHAUSTED',
  'FUNDING_PROBLEM',
  'EXPIRED',
]);
export type Reason = (typeof REASONS_NOT_SERVABLE)[number];

export const EFFECTIVE_STATUSES = closedSet('EffectiveStatus', [
  'UNKNOWN',
  'DRAFT',
  'PAUSED',
  'UNDER_REVIEW',
  'SCHEDULED',
  'EXHAUSTED',
  'EXPIRED',
  'RUNNING',
]);
export type EffectiveStatus = (typeof EFFECTIVE_STATUSES)[number];

/** What a campaign's standing depends on besides itself. */
export interface DeliveryConditions {
  /** Whether its funding can pay at this moment. */
  funded: boolean;
  approval: AccountApproval;
  now: Date;
}

/** Whether a campaign can serve, why not, and what that makes its status: derived here and nowhere else. */
export interface DeliveryState {
  servable: boolean | null;
  reasons: Reason[];
  effectiveStatus: EffectiveStatus;
}

export function deliveryStateOf(campaign: Row<Campaign>, surroundings: DeliveryConditions): DeliveryState {
  const reasons = reasonsOf(campaign, surroundings);
  const effectiveStatus = statusOf(campaign, reasons);
  // Of a deleted one only the last status is told.
  return campaign.deletedAt === null
    ? { servable: reasons.length === 0, reasons, effectiveStatus }
    : { servable: null, reasons: [], effectiveStatus };
}

function reasonsOf(campaign: Row<Campaign>, { funded, approval, now }: DeliveryConditions): Reason[] {
  const reasons: Reason[] = [];
  if (campaign.entityStatus !== 'ACTIVE') reasons.push('PAUSED_BY_ADVERTISER');
  if (!campaign.complete) reasons.push('INCOMPLETE');
  if (approval === 'UNDER_REVIEW') reasons.push('ACCOUNT_UNDER_REVIEW');
  if (approval === 'REJECTED') reasons.push('ACCOUNT_REJECTED');
  if (campaign.startTime !== null && new Date(campaign.startTime) > now) reasons.push('STARTS_IN_FUTURE');
  const { totalBudgetAmountLocalMicro: total, spentLocalMicro: spent } = campaign;
  if (total !== null && spent >= total) reasons.push('BUDGET_EXHAUSTED');
  if (!funded) reasons.push('FUNDING_PROBLEM');
  if (campaign.endTime !== null && new Date(campaign.endTime) <= now) reasons.push('EXPIRED');
  return reasons;
}

/** The first that matches, in the order of facts 8.6. */
function statusOf(campaign: Row<Campaign>, reasons: Reason[]): EffectiveStatus {
  const any = (...these: Reason[]) => these.some((reason) => reasons.includes(reason));
  if (any('INCOMPLETE')) return 'UNKNOWN';
  if (campaign.entityStatus === 'DRAFT') return 'DRAFT';
  if (any('PAUSED_BY_ADVERTISER')) return 'PAUSED';
  if (any('ACCOUNT_UNDER_REVIEW', 'ACCOUNT_REJECTED')) return 'UNDER_REVIEW';
  if (any('STARTS_IN_FUTURE')) return 'SCHEDULED';
  if (any('BUDGET_EXHAUSTED', 'FUNDING_PROBLEM')) return 'EXHAUSTED';
  return any('EXPIRED') ? 'EXPIRED' : 'RUNNING';
}
