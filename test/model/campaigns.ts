import { invalid, missing, unknown, Reading, type Problem, type RawParams } from './reading.js';
import type { Decision, Fields, ModelAccount, Resource } from './world.js';

export const DAILY = 'daily_budget_amount_local_micro';
export const TOTAL = 'total_budget_amount_local_micro';
export const BID = 'bid_amount_local_micro';

const OPTIMIZATIONS = ['CAMPAIGN', 'LINE_ITEM'] as const;
const STATUSES = ['ACTIVE', 'DRAFT', 'PAUSED'] as const;

/** Drafts become active or paused; nothing becomes a draft again. */
export const statusOf = (read: Reading, old: unknown) =>
  read.status('entity_status', old === undefined || old === 'DRAFT' ? STATUSES : (['ACTIVE', 'PAUSED'] as const));

export function createCampaign(account: ModelAccount, params: RawParams): Decision {
  const read = new Reading(params, false);
  const funding_instrument_id = read.id('funding_instrument_id');
  const fields = readCampaign(read, {
    budget_optimization: 'CAMPAIGN',
    entity_status: 'ACTIVE',
    standard_delivery: true,
    purchase_order_number: null,
    [DAILY]: null,
    [TOTAL]: null,
    frequency_cap: null,
    duration_in_days: null,
  });
  const funding = account.all('FUNDING_INSTRUMENT').find(({ id }) => id === funding_instrument_id);
  if (funding_instrument_id !== undefined && !funding) read.reject(unknown('funding_instrument_id'));
  if (!funding) read.forgetDenominations();
  if (funding?.deleted) read.blame(['INVALID_FUNDING_INSTRUMENT', 'funding_instrument_id']);
  if (funding) Object.assign(fields, { funding_instrument_id, currency: funding.fields.currency });
  checkCampaign(account, read, fields, {}, funding);
  return read.problems.length > 0 ? { problems: read.problems } : { fields };
}

export function updateCampaign(account: ModelAccount, id: string, params: RawParams): Decision {
  const campaign = account.find('CAMPAIGN', id);
  const read = new Reading(params, true);
  const old = campaign?.fields ?? {};
  const fields = readCampaign(read, old);
  if (!campaign) return { problems: [unknown('campaign_id'), ...read.unreadable()] };
  const sent = read.has('funding_instrument_id') ? params.funding_instrument_id : old.funding_instrument_id;
  if (sent !== old.funding_instrument_id) read.blame(invalid('funding_instrument_id'));
  const funding = account.find('FUNDING_INSTRUMENT', old.funding_instrument_id);
  checkCampaign(account, read, fields, old, funding, campaign);
  return read.problems.length > 0 ? { problems: read.problems } : { fields, of: campaign };
}

/** The fields after the request; what it does not name stays. */
function readCampaign(read: Reading, old: Fields): Fields {
  const sent: Fields = {
    name: read.text('name', 255),
    budget_optimization: read.optionalWord('budget_optimization', OPTIMIZATIONS) ?? undefined,
    [DAILY]: read.has(DAILY) ? read.money(DAILY) : undefined,
    [TOTAL]: read.has(TOTAL) ? read.money(TOTAL) : undefined,
    entity_status: statusOf(read, old.name === undefined ? undefined : old.entity_status),
    purchase_order_number: read.has('purchase_order_number')
      ? read.optionalText('purchase_order_number', 50)
      : undefined,
    standard_delivery: read.has('standard_delivery') ? read.flag('standard_delivery') : undefined,
  };
  return { ...old, ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) };
}

function checkCampaign(
  account: ModelAccount,
  read: Reading,
  fields: Fields,
  old: Fields,
  funding: Resource | undefined,
  campaign?: Resource,
): void {
  const [daily, total] = [fields[DAILY] as number | null, fields[TOTAL] as number | null];
  const ofLineItems = fields.budget_optimization === 'LINE_ITEM';
  if (!read.knows('budget_optimization')) return;
  if (ofLineItems) {
    if (
      read.has('standard_delivery') &&
      read.knows('standard_delivery') &&
      fields.standard_delivery !== null &&
      fields.standard_delivery !== old.standard_delivery
    )
      read.blame(invalid('standard_delivery'));
    fields.standard_delivery = null;
  } else fields.standard_delivery ??= true;
  if (read.knows(DAILY, TOTAL)) {
    const evenly = total !== null && ['INSERTION_ORDER', 'PARTNER_MANAGED'].includes(String(funding?.fields.type));
    if (daily === null && !ofLineItems && !evenly && (funding || campaign)) read.blame(missing(DAILY));
    if (daily !== null && total !== null && daily > total) read.blame(invalid(daily === old[DAILY] ? TOTAL : DAILY));
  }
  if (!campaign) return;
  const items = account.below('LINE_ITEM', campaign);
  if (!ofLineItems && old.budget_optimization === 'LINE_ITEM' && items.some(({ fields: item }) => item[DAILY] !== null))
    read.blame(invalid('budget_optimization'));
  const isFree = (of: Fields) => of[DAILY] === null && of[TOTAL] === null;
  if (ofLineItems && read.knows(DAILY, TOTAL) && isFree(fields) && !isFree(old))
    if (items.some(({ fields: item }) => isFree(item))) read.blame(invalid(old[DAILY] === null ? TOTAL : DAILY));
  for (const name of [DAILY, TOTAL]) {
    const amount = fields[name] as number | null;
    if (amount === null || amount === old[name] || !read.knows(name)) continue;
    const most = Math.max(
      0,
      ...items.flatMap(({ fields: item }) => [DAILY, name, BID].map((each) => Number(item[each] ?? 0))),
    );
    if (amount < most) read.blame(invalid(name));
  }
}

const isActive = ({ fields, deleted }: Resource) => fields.entity_status === 'ACTIVE' && !deleted;

/** Who of these, in their order, is beyond the limit of active campaigns. */
export function beyondLimit(
  account: ModelAccount,
  planned: { fields: Fields; of?: Resource; deletes?: boolean }[],
): Problem[][] {
  const freed = planned.filter(
    ({ of, fields, deletes }) => of && isActive(of) && (deletes || fields.entity_status !== 'ACTIVE'),
  );
  let free = account.campaignLimit - account.all('CAMPAIGN').filter(isActive).length + freed.length;
  return planned.map(({ of, fields, deletes }) => {
    if (deletes || fields.entity_status !== 'ACTIVE' || (of && isActive(of))) return [];
    return free-- > 0 ? [] : [['TOO_MANY_CAMPAIGNS', 'entity_status'] as const];
  });
}
