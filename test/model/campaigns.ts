import type { Plain } from './plain.js';
import { flag, invalid, missing, money, optional, text, word, type Problem, type Reading } from './reading.js';
import type { Fields, ModelAccount, Planned, Resource } from './world.js';

export const DAILY = 'daily_budget_amount_local_micro';
export const TOTAL = 'total_budget_amount_local_micro';
export const BID = 'bid_amount_local_micro';

export const STATUS = { ...word(['ACTIVE', 'PAUSED', 'DRAFT']), initial: { is: 'ACTIVE' } };
export const BUDGET = optional(money((amount) => amount > 0));

/** Drafts become active or paused; nothing becomes a draft again. */
export function checkStatus(read: Reading, fields: Fields, old?: Resource): void {
  if (old && fields.entity_status === 'DRAFT' && old.fields.entity_status !== 'DRAFT')
    read.reject(invalid('entity_status'));
}

export const CAMPAIGN: Plain = {
  fits: true,
  said: {
    name: text(255),
    [DAILY]: { ...BUDGET, isUsual: true },
    [TOTAL]: BUDGET,
    budget_optimization: optional(word(['CAMPAIGN', 'LINE_ITEM']), 'CAMPAIGN'),
    entity_status: STATUS,
    purchase_order_number: optional(text(50, ['PO 1', 'PO 2'])),
    standard_delivery: optional(flag()),
  },
  added: (_, __, funding) => ({ frequency_cap: null, duration_in_days: null, currency: funding?.fields.currency }),
  check: (read, fields, { account, above: funding }, campaign) => {
    const old: Fields = campaign?.fields ?? {};
    checkStatus(read, fields, campaign);
    const [daily, total] = [fields[DAILY] as number | null, fields[TOTAL] as number | null];
    const ofLineItems = fields.budget_optimization === 'LINE_ITEM';
    if (!read.knows('budget_optimization')) return;
    const delivery = fields.standard_delivery;
    if (ofLineItems && read.has('standard_delivery') && read.knows('standard_delivery'))
      if (delivery !== null && delivery !== old.standard_delivery) read.blame(invalid('standard_delivery'));
    fields.standard_delivery = ofLineItems ? null : (delivery ?? true);
    if (read.knows(DAILY, TOTAL)) {
      if (daily === null && !ofLineItems && (funding || campaign)) read.blame(missing(DAILY));
      if (daily !== null && total !== null && daily > total) read.blame(invalid(daily === old[DAILY] ? TOTAL : DAILY));
    }
    if (!campaign) return;
    const items = account.below('LINE_ITEM', campaign).map((item) => item.fields);
    if (!ofLineItems && old.budget_optimization === 'LINE_ITEM' && items.some((item) => item[DAILY] !== null))
      read.blame(invalid('budget_optimization'));
    const isFree = (of: Fields) => of[DAILY] === null && of[TOTAL] === null;
    if (ofLineItems && read.knows(DAILY, TOTAL) && isFree(fields) && !isFree(old) && items.some(isFree))
      read.blame(invalid(old[DAILY] === null ? TOTAL : DAILY));
    for (const name of [DAILY, TOTAL]) {
      const amount = fields[name] as number | null;
      if (amount === null || amount === old[name] || !read.knows(name)) continue;
      const amounts = items.flatMap((item) => [DAILY, name, BID].map((each) => Number(item[each] ?? 0)));
      if (amount < Math.max(0, ...amounts)) read.blame(invalid(name));
    }
  },
};

const isActive = ({ fields, deleted }: Resource) => fields.entity_status === 'ACTIVE' && !deleted;

/** Who of these, in their order, is beyond the limit of active campaigns. */
export function beyondLimit(account: ModelAccount, planned: Planned[]): Problem[][] {
  const freed = planned.filter(
    ({ of, fields, deletes }) => of && isActive(of) && (deletes || fields.entity_status !== 'ACTIVE'),
  );
  let free = account.campaignLimit - account.all('CAMPAIGN').filter(isActive).length + freed.length;
  return planned.map(({ of, fields, deletes }) => {
    if (deletes || fields.entity_status !== 'ACTIVE' || (of && isActive(of))) return [];
    return free-- > 0 ? [] : [['TOO_MANY_CAMPAIGNS', 'entity_status'] as const];
  });
}
