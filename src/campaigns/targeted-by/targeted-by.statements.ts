import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

/** Which campaigns of an account are looked for. */
export interface Wanted {
  accountId: string;
  audienceId: string;
  /** Only those with an active line item that targets it. */
  active: boolean;
  /** The campaign that they come after; from the newest on unless given. */
  after?: string;
  limit: number;
}

/** Behind every id. */
const END = '~';

/** The ids of campaigns of which a line item targets the audience, the newest first: read in the order of its index. */
export async function campaignsTargeting(
  db: EntityManager,
  { accountId, audienceId, active, after = END, limit }: Wanted,
): Promise<string[]> {
  const found = await run<{ id: string }>(
    db,
    {
      text: `SELECT DISTINCT t."campaignId" AS id FROM targeting_criteria t JOIN line_items l ON l.id = t."lineItemId"
        WHERE t."targetingValue" = $1 AND t."accountId" = $2 AND t."campaignId" < $3 AND t."deletedAt" IS NULL
          AND t."targetingType" IN ('CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED')
          AND l."deletedAt" IS NULL AND NOT l."campaignDeleted" AND (l.counted OR NOT $4::boolean)
        ORDER BY id DESC LIMIT $5`,
      values: [audienceId, accountId, after, active, limit],
    },
    { large: true },
  );
  return found.map(({ id }) => id);
}
