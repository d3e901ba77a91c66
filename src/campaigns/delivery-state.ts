import type { AccountApproval } from '../accounts/entities/account.entity.js';
import { closedSet } from '../common/values/closed-set.js';
import type { Row } from '../common/db/query/rows.js';
import type { Campaign, EntityStatus } from './entities/campaign.entity.js';
import type { LineItem } from './entities/line-item.entity.js';

/** The reasons that this service can determine, in the order in which they are reported. */
export const REASONS_NOT_SERVABLE = closedSet('ReasonNotServable', [
  'PAUSED_BY_ADVERTISER',
  'INCOMPLETE',
  'ACCOUNT_UNDER_REVIEW',
  'ACCOUNT_REJECTED',
  'STARTS_IN_FUTURE',
  'BUDGET_EXHAUSTED',
  'FUNDING_PROBLEM',
  'EXPIRED',
  'DELETED',
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

/** Budget and spend, in micro-units. */
type Spending = Pick<Row<Campaign>, 'totalBudgetAmountLocalMicro' | 'spentLocalMicro'>;

/** A flight at a given time. */
export interface FlightState {
  startsInFuture: boolean;
  hasEnded: boolean;
}

/** The state of a flight; an open end never arrives. */
const flightAt = (
  { startTime, endTime }: { startTime: string | null; endTime: string | null },
  now: Date,
): FlightState => ({
  startsInFuture: startTime !== null && new Date(startTime) > now,
  hasEnded: endTime !== null && new Date(endTime) <= now,
});

/** A campaign or a line item. */
export interface Deliverable extends FlightState, Pick<Row<Campaign>, 'entityStatus' | 'deletedAt'> {
  /** Has at least one creative. */
  complete: boolean;
  /** Has spent its total budget. */
  exhausted: boolean;
}

/** A line item, by itself. */
export const deliverableItem = (item: Row<LineItem>, now: Date): Deliverable => ({
  entityStatus: item.entityStatus,
  deletedAt: item.deletedAt,
  complete: item.creatives > 0,
  exhausted: isExhausted(item),
  ...flightAt(item, now),
});

/** The properties of a line item that determine the delivery of its campaign. */
export interface NearestItem extends FlightState {
  entityStatus: EntityStatus;
  complete: boolean;
}

/**
 * How near a line item is to serving, as a number: each property outweighs those below it together. So the highest rank
 * of a campaign's line items is that of the nearest one, and tells its properties.
 */
export const NEARNESS = { running: 8, active: 4, complete: 2, started: 1 } as const;

/** The properties of the line item with this rank. */
export const nearestItemOf = (rank: number): NearestItem => ({
  entityStatus: rank & NEARNESS.active ? 'ACTIVE' : 'PAUSED',
  complete: (rank & NEARNESS.complete) !== 0,
  startsInFuture: (rank & NEARNESS.started) === 0,
  hasEnded: (rank & NEARNESS.running) === 0,
});

/**
 * A campaign as it delivers through the line item that is nearest to serving. It can serve only if a single line item
 * is active, complete and within its flight. The spend of that line item counts only for the line item. Undefined if
 * all its line items are drafts or it has none. A campaign that is not complete has no line item with a creative; its
 * state depends on the flight of its line items.
 */
export function deliverableOf(campaign: Row<Campaign>, nearest: NearestItem | undefined, now: Date): Deliverable {
  const own = campaign.complete ? nearest : undefined;
  const { startsInFuture, hasEnded } = own ?? flightAt(campaign, now);
  return {
    entityStatus: own && campaign.entityStatus === 'ACTIVE' ? own.entityStatus : campaign.entityStatus,
    deletedAt: campaign.deletedAt,
    startsInFuture,
    hasEnded,
    complete: own?.complete ?? false,
    exhausted: isExhausted(campaign),
  };
}

/** The conditions that determine a delivery state besides the resource itself. */
export interface DeliveryConditions {
  /** The campaign of a line item. */
  campaign?: Pick<Row<Campaign>, 'entityStatus' | 'deletedAt' | 'totalBudgetAmountLocalMicro' | 'spentLocalMicro'>;
  /** Whether its funding can pay at this time. */
  funded: boolean;
  approval: AccountApproval;
}

/** Whether a resource can serve, the reasons why not, and the resulting status. Derived only here. */
export interface DeliveryState {
  servable: boolean | null;
  reasons: Reason[];
  effectiveStatus: EffectiveStatus;
}

export function deliveryStateOf(thing: Deliverable, conditions: DeliveryConditions): DeliveryState {
  const reasons = reasonsOf(thing, conditions);
  const effectiveStatus = statusOf(thing, reasons);
  // For a deleted resource, only the last status is reported.
  return thing.deletedAt === null
    ? { servable: reasons.length === 0, reasons, effectiveStatus }
    : { servable: null, reasons: [], effectiveStatus };
}

function reasonsOf(thing: Deliverable, { campaign, funded, approval }: DeliveryConditions): Reason[] {
  const reasons: Reason[] = [];
  if (thing.entityStatus !== 'ACTIVE' || (campaign && campaign.entityStatus !== 'ACTIVE'))
    reasons.push('PAUSED_BY_ADVERTISER');
  if (!thing.complete) reasons.push('INCOMPLETE');
  if (approval === 'UNDER_REVIEW') reasons.push('ACCOUNT_UNDER_REVIEW');
  if (approval === 'REJECTED') reasons.push('ACCOUNT_REJECTED');
  if (thing.startsInFuture) reasons.push('STARTS_IN_FUTURE');
  if (thing.exhausted || (campaign && isExhausted(campaign))) reasons.push('BUDGET_EXHAUSTED');
  if (!funded) reasons.push('FUNDING_PROBLEM');
  if (thing.hasEnded) reasons.push('EXPIRED');
  if (campaign && campaign.deletedAt !== null) reasons.push('DELETED');
  return reasons;
}

export const isExhausted = ({ totalBudgetAmountLocalMicro: total, spentLocalMicro: spent }: Spending): boolean =>
  total !== null && spent >= total;

/** The first match in this order. */
function statusOf({ entityStatus }: Deliverable, reasons: Reason[]): EffectiveStatus {
  const any = (...these: Reason[]) => these.some((reason) => reasons.includes(reason));
  if (any('INCOMPLETE')) return 'UNKNOWN';
  if (entityStatus === 'DRAFT') return 'DRAFT';
  if (any('PAUSED_BY_ADVERTISER')) return 'PAUSED';
  if (any('ACCOUNT_UNDER_REVIEW', 'ACCOUNT_REJECTED')) return 'UNDER_REVIEW';
  if (any('STARTS_IN_FUTURE')) return 'SCHEDULED';
  if (any('BUDGET_EXHAUSTED', 'FUNDING_PROBLEM')) return 'EXHAUSTED';
  return any('EXPIRED') ? 'EXPIRED' : 'RUNNING';
}
