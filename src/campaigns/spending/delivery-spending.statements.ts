import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Campaign } from '../entities/campaign.entity.js';
import type { LineItem } from '../entities/line-item.entity.js';

/** An hour in which line items of an account are delivered, in ISO 8601. */
export interface DeliveredHour {
  accountId: string;
  start: string;
  end: string;
}

/** A line item that can serve in an hour, with the budgets of its campaign, and what it shows. */
export type ServableItem = Pick<
  Row<LineItem>,
  | 'id'
  | 'campaignId'
  | 'fundingInstrumentId'
  | 'currency'
  | 'objective'
  | 'goal'
  | 'placements'
  | 'bidStrategy'
  | 'bidAmountLocalMicro'
  | 'payBy'
  | 'startTime'
  | 'endTime'
  | 'durationInDays'
  | 'frequencyCap'
  | 'standardDelivery'
  | 'dailyBudgetAmountLocalMicro'
  | 'totalBudgetAmountLocalMicro'
  | 'spentLocalMicro'
> & {
  campaign: Pick<
    Row<Campaign>,
    | 'budgetOptimization'
    | 'standardDelivery'
    | 'dailyBudgetAmountLocalMicro'
    | 'totalBudgetAmountLocalMicro'
    | 'spentLocalMicro'
  >;
  /** The number of types of targeting that include users. */
  targetingTypes: number;
  things:
    | {
        id: string;
        kind: 'PROMOTED_POST' | 'PROMOTED_ACCOUNT' | 'MEDIA_CREATIVE';
        postId: string | null;
        isVideo: boolean;
      }[]
    | null;
};

const SERVABLE = `FROM line_items l JOIN campaigns c ON c."accountId" = l."accountId" AND c.id = l."campaignId"
  WHERE l."accountId" = $1 AND l."entityStatus" = 'ACTIVE' AND l."deletedAt" IS NULL AND NOT l."campaignDeleted" AND l.creatives > 0
    AND l."startTime" < $3::timestamptz AND l."endTime" > $2::timestamptz AND l."createdAt" < $3::timestamptz
    AND c."entityStatus" = 'ACTIVE' AND c."deletedAt" IS NULL
    AND (l."totalBudgetAmountLocalMicro" IS NULL OR l."spentLocalMicro" < l."totalBudgetAmountLocalMicro")
    AND (c."totalBudgetAmountLocalMicro" IS NULL OR c."spentLocalMicro" < c."totalBudgetAmountLocalMicro")`;

const SHOWN = (table: string) =>
  `FROM ${table} t WHERE t."accountId" = l."accountId" AND t."lineItemId" = l.id AND t."deletedAt" IS NULL AND NOT t.paused
    AND t."approvalStatus" = 'ACCEPTED'`;

const THINGS = `SELECT json_agg(json_build_object('id', s.id, 'kind', s.kind, 'postId', s."postId", 'isVideo', s."isVideo") ORDER BY s.id)
  FROM (SELECT t.id, 'PROMOTED_POST' AS kind, t."postId", EXISTS (SELECT FROM posts o JOIN library_media m
        ON m."accountId" = l."accountId" AND m."mediaKey" = ANY(o."mediaKeys") WHERE o.id = t."postId" AND m."mediaType" = 'VIDEO') AS "isVideo"
      ${SHOWN('promoted_posts')}
    UNION ALL SELECT t.id, 'PROMOTED_ACCOUNT', NULL, false ${SHOWN('promoted_accounts')}
    UNION ALL SELECT t.id, 'MEDIA_CREATIVE', NULL, t."creativeType" LIKE '%PREROLL' ${SHOWN('media_creatives')}) s`;

/** A page of the line items that can serve in an hour, in the order of their ids. */
export const servableItems = (
  db: EntityManager,
  { accountId, start, end }: DeliveredHour,
  after: string,
  limit: number,
): Promise<ServableItem[]> =>
  run<ServableItem>(db, {
    text: `SELECT l.id, l."campaignId", l."fundingInstrumentId", l.currency, l.objective, l.goal, l.placements, l."bidStrategy",
        l."bidAmountLocalMicro", l."payBy", l."startTime", l."endTime", l."durationInDays", l."frequencyCap", l."standardDelivery",
        l."dailyBudgetAmountLocalMicro", l."totalBudgetAmountLocalMicro", l."spentLocalMicro",
        json_build_object('budgetOptimization', c."budgetOptimization", 'standardDelivery', c."standardDelivery",
          'dailyBudgetAmountLocalMicro', c."dailyBudgetAmountLocalMicro",
          'totalBudgetAmountLocalMicro', c."totalBudgetAmountLocalMicro", 'spentLocalMicro', c."spentLocalMicro") AS campaign,
        (SELECT count(DISTINCT t."targetingType")::int FROM targeting_criteria t WHERE t."accountId" = l."accountId"
          AND t."lineItemId" = l.id AND t."deletedAt" IS NULL AND t."operatorType" <> 'NE') AS "targetingTypes",
        (${THINGS}) AS things
      ${SERVABLE} AND l.id > $4 ORDER BY l.id LIMIT $5`,
    values: [accountId, start, end, after, limit],
  });

/** The campaigns with line items that can serve in an hour: their funding, and the number of these line items. */
export const servableCampaigns = (
  db: EntityManager,
  { accountId, start, end }: DeliveredHour,
): Promise<{ id: string; fundingInstrumentId: string; items: number }[]> =>
  run(db, {
    text: `SELECT c.id, c."fundingInstrumentId", count(*)::int AS items ${SERVABLE} GROUP BY c.id, c."fundingInstrumentId"`,
    values: [accountId, start, end],
  });

/**
 * Adds amounts to the spend of line items or campaigns of an account, which it locks in the order of their ids. The
 * advertiser did not change them: the history gets no entry.
 */
export async function addSpends(
  db: EntityManager,
  table: 'line_items' | 'campaigns',
  accountId: string,
  amounts: ReadonlyMap<string, number>,
): Promise<void> {
  if (amounts.size === 0) return;
  const ids = [...amounts.keys()];
  // alone: in the update below, PostgreSQL would compare each row with the whole list
  await run(db, {
    text: `SELECT id FROM ${table} WHERE "accountId" = $1 AND id = ANY($2::varchar[] COLLATE "C") ORDER BY id FOR NO KEY UPDATE`,
    values: [accountId, ids],
  });
  await run(db, {
    text: `UPDATE ${table} r SET "spentLocalMicro" = r."spentLocalMicro" + s.amount
      FROM unnest($2::varchar[], $3::bigint[]) AS s (id, amount) WHERE r."accountId" = $1 AND r.id = s.id COLLATE "C"`,
    values: [accountId, ids, [...amounts.values()]],
  });
}
