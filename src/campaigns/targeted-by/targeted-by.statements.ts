import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';

/** The filter for campaigns of an account. */
export interface Wanted {
  accountId: string;
  audienceId: string;
  /** Only campaigns with an active line item that targets the audience. */
  active: boolean;
  /** The last campaign of the previous page. Defaults to starting with the newest. */
  after?: string;
  limit: number;
}

/** Sorts after every id. */
const END = '~';

/** The ids of campaigns with a line item that targets the audience, newest first, read in index order. */
export async function campaignsTargeting(
  db: EntityManager,
  { accountId, audienceId, active, after = END, limit }: Wanted,
): Promise<string[]> {
  const found = await run<{ id: string }>(
    db,
    {
      text: `SELECT DISTINCT t."campaignId" AS id FROM targeting_criteria t JOIN line_items l ON l."accountId" = t."accountId" AND l.id = t."lineItemId"
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
