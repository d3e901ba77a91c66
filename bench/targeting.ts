import type { Case } from './cases.js';
import { UNIQUE } from './load/task.js';
import { query, type World } from './world.js';

/** Enough that a round of batches has one for each. */
const LINE_ITEMS = 1_600;
const BATCH = 500;
/** Before all that are made while it runs. */
const idOf = (n: number): string => n.toString(16).padStart(13, '0');

/** Line items of the accounts that are written to, in turn. */
export async function fillTargeting({ databaseUrl, written }: World): Promise<void> {
  const accounts = `array[${written.map(({ id }) => `'${id}'`).join()}]`;
  await query(
    databaseUrl,
    `INSERT INTO line_items (id, "createdAt", "updatedAt", "accountId", "campaignId", "fundingInstrumentId", currency, "productType",
        objective, goal, placements, categories, "bidStrategy", "payBy", "startTime", "endTime", "creativeSource", "entityStatus", counted)
      SELECT lpad(to_hex(n), 13, '0'), at, at, (${accounts})[n % ${written.length} + 1], '1', '1', 'USD', 'PROMOTED_POSTS', 'ENGAGEMENTS',
        'ENGAGEMENT', '{ALL_ON_PLATFORM}', '{}', 'AUTO', 'ENGAGEMENT', at, at + interval '9 years', 'MANUAL', 'PAUSED', false
      FROM generate_series(0, ${LINE_ITEMS - 1}) AS n, (SELECT timestamptz '2026-01-01' AS at) AS t`,
  );
  await query(databaseUrl, 'VACUUM (ANALYZE) line_items');
}

/** Keywords, one at a time and 500. What a round stored is gone before the next one, so that each finds the same. */
export function targetingCases({ databaseUrl, written }: World): Case[] {
  const path = (n: number, batch = '') => `/12${batch}/accounts/${written[n % written.length].id}/targeting_criteria`;
  const before = () => query(databaseUrl, 'TRUNCATE targeting_criteria, targeting_sets, account_changes');
  const operation = (line_item_id: string, word: number) => ({
    operation_type: 'Create',
    params: { line_item_id, targeting_type: 'BROAD_KEYWORD', targeting_value: `keyword ${word}` },
  });
  return [
    {
      name: 'targeting create',
      before,
      requests: Array.from({ length: LINE_ITEMS }, (_, n) => ({
        method: 'POST',
        target: `${path(n)}?line_item_id=${idOf(n)}&targeting_type=BROAD_KEYWORD&targeting_value=${UNIQUE}`,
      })),
    },
    {
      name: 'targeting batch of 500',
      before,
      once: true,
      requests: Array.from({ length: LINE_ITEMS }, (_, n) => ({
        method: 'POST',
        target: path(n, '/batch'),
        body: JSON.stringify(Array.from({ length: BATCH }, (_, word) => operation(idOf(n), word))),
      })),
    },
  ];
}
