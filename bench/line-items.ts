import type { Case } from './cases.js';
import { query, type World } from './world.js';

const BATCH = 40;
/** So many that hardly two writes of the load meet in one campaign. */
export const CAMPAIGNS = 200;

/** The id of the nth of them. */
export const campaignId = (n: number): string => `li${n.toString(36).padStart(11, '0')}`;

/**
 * Campaigns to make line items in, spread over the accounts that are written to. A campaign takes a hundred line items; here
 * it takes as many as are asked for, and they are counted as ever.
 */
export async function fillCampaigns({ databaseUrl, written }: World): Promise<void> {
  const rows = Array.from({ length: CAMPAIGNS }, (_, n) => {
    const { id, fundingId } = written[n % written.length];
    return `('${campaignId(n)}', now(), now(), '${id}', '${fundingId}', 'Line items ${n}', 'USD', 'CAMPAIGN', 500000000, true, 'PAUSED')`;
  });
  await query(
    databaseUrl,
    `INSERT INTO campaigns (id, "createdAt", "updatedAt", "accountId", "fundingInstrumentId", name, currency, "budgetOptimization",
      "dailyBudgetAmountLocalMicro", "standardDelivery", "entityStatus") VALUES ${rows.join(', ')}`,
  );
  await query(
    databaseUrl,
    `INSERT INTO counters ("ownerId", kind, value, "limit") SELECT id, 'line items', 0, 2000000000 FROM campaigns WHERE id LIKE 'li%'`,
  );
}

/** Line items are paused, so that no account has too many active ones. */
const paramsOf = (n: number) => ({
  campaign_id: campaignId(n),
  objective: 'ENGAGEMENTS',
  product_type: 'PROMOTED_POSTS',
  placements: ['ALL_ON_PLATFORM'],
  start_time: '2026-10-01T00:00:00Z',
  end_time: '2036-10-01T00:00:00Z',
  name: `Bench ${n}`,
  entity_status: 'PAUSED',
  bid_amount_local_micro: 1_500_000,
});

const queryOf = (n: number) =>
  Object.entries(paramsOf(n))
    .map(([name, value]) => `${name}=${encodeURIComponent([value].flat().join(','))}`)
    .join('&');

/** One line item, and forty of one account. */
export const lineItemCases = ({ written }: World): Case[] => [
  {
    name: 'line item create',
    requests: Array.from({ length: CAMPAIGNS }, (_, n) => ({
      method: 'POST',
      target: `/12/accounts/${written[n % written.length].id}/line_items?${queryOf(n)}`,
    })),
  },
  {
    name: 'line items, batch of 40',
    requests: Array.from({ length: CAMPAIGNS }, (_, n) => ({
      method: 'POST',
      target: `/12/batch/accounts/${written[n % written.length].id}/line_items`,
      body: JSON.stringify(Array.from({ length: BATCH }, () => ({ operation_type: 'Create', params: paramsOf(n) }))),
    })),
  },
];
