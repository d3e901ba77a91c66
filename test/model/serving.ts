import { wire } from './reading.js';
import type { ModelAccount, Resource } from './world.js';

/** What is paused, or still a draft. */
const isOff = ({ fields }: Resource) => ['PAUSED', 'DRAFT'].includes(String(fields.entity_status));

/** Why a line item does not serve, by itself and by what is above it. */
function reasonsOf(account: ModelAccount, item: Resource, now: number): string[] {
  const campaign = account.parentOf(item)!;
  const reasons = [
    campaign.deleted && 'DELETED',
    (isOff(item) || isOff(campaign)) && 'PAUSED_BY_ADVERTISER',
    isIncomplete(account, item) && 'INCOMPLETE',
    ...timing([item], now),
    isFundingGone(account, item) && 'FUNDING_PROBLEM',
  ];
  return reasons.filter((reason) => reason !== false);
}

/** Whether the flight of these together is still to come, or over. */
const timing = (items: Resource[], now: number) => [
  items.length > 0 && items.every(({ fields }) => String(fields.start_time) > wire(now)) && 'STARTS_IN_FUTURE',
  items.length > 0 && items.every(({ fields }) => String(fields.end_time) <= wire(now)) && 'EXPIRED',
];

/** Without anything to show; only an account that is promoted completes a line item for followers. */
const isIncomplete = (account: ModelAccount, item: Resource) =>
  account.below(item.fields.objective === 'FOLLOWERS' ? 'PROMOTED_ACCOUNT' : 'PROMOTED_POST', item).length === 0;

const isFundingGone = (account: ModelAccount, { fields }: Resource) =>
  account.all('FUNDING_INSTRUMENT').find(({ id }) => id === fields.funding_instrument_id)!.deleted;

/** The first that applies, in the order of the contract. */
function statusOf(resource: Resource, reasons: string[], parent?: Resource): string {
  if (reasons.includes('INCOMPLETE')) return 'UNKNOWN';
  if (resource.fields.entity_status === 'DRAFT' || parent?.fields.entity_status === 'DRAFT') return 'DRAFT';
  if (reasons.includes('PAUSED_BY_ADVERTISER')) return 'PAUSED';
  if (reasons.includes('STARTS_IN_FUTURE')) return 'SCHEDULED';
  if (reasons.includes('FUNDING_PROBLEM')) return 'EXHAUSTED';
  return reasons.includes('EXPIRED') ? 'EXPIRED' : 'RUNNING';
}

/** Whether something serves, as views show it. */
export function whyNotServed(account: ModelAccount, resource: Resource, now: number) {
  const reasons = resource.kind === 'CAMPAIGN' ? ofCampaign(account, resource, now) : reasonsOf(account, resource, now);
  const effective_status = statusOf(resource, reasons, account.parentOf(resource));
  const isDraft = effective_status === 'DRAFT' || resource.fields.entity_status === 'DRAFT';
  return { servable: reasons.length === 0 && !isDraft, reasons_not_servable: reasons.sort(), effective_status };
}

/**
 * Of a campaign with something to show: the reasons of the line item that is closest to serving. Else its own status, and
 * the flight of its line items together.
 */
function ofCampaign(account: ModelAccount, campaign: Resource, now: number): string[] {
  const items = account.below('LINE_ITEM', campaign).filter(({ fields }) => fields.entity_status !== 'DRAFT');
  const reasons = items.map((item) => reasonsOf(account, item, now));
  if (reasons.some((each) => !each.includes('INCOMPLETE'))) {
    const order = ['EXPIRED', 'PAUSED_BY_ADVERTISER', 'INCOMPLETE', 'STARTS_IN_FUTURE'];
    const distance = (each: string[]) => order.reduce((sum, reason) => sum * 2 + (each.includes(reason) ? 1 : 0), 0);
    return reasons.sort((a, b) => distance(a) - distance(b))[0];
  }
  const own = [
    isOff(campaign) && 'PAUSED_BY_ADVERTISER',
    ...timing(items, now),
    isFundingGone(account, campaign) && 'FUNDING_PROBLEM',
  ];
  return ['INCOMPLETE', ...own.filter((reason) => reason !== false)];
}
