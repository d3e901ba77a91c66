import type { EntityManager } from 'typeorm';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import type { Row } from '../../common/db/query/rows.js';
import { run, type RunOptions } from '../../common/db/query/statement.js';
import type { CardType } from '../../creatives/entities/card.entity.js';
import type { CreativeType } from '../../creatives/account-media/account-media.entity.js';
import type { SetCriterion } from '../criterion-sets/criterion-set.rules.js';
import type { Campaign } from '../entities/campaign.entity.js';
import type { LineItem } from '../entities/line-item.entity.js';

/** An hour in which line items of an account are delivered, in ISO 8601. */
export interface DeliveredHour {
  accountId: string;
  start: string;
  end: string;
}

/** A campaign with line items that can serve in an hour, and the number of these. */
export type ServableCampaign = Pick<
  Row<Campaign>,
  | 'id'
  | 'fundingInstrumentId'
  | 'budgetOptimization'
  | 'standardDelivery'
  | 'dailyBudgetAmountLocalMicro'
  | 'totalBudgetAmountLocalMicro'
  | 'spentLocalMicro'
> & { items: number };

/** A line item that can serve in an hour. */
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
  | 'primaryWebEventTag'
> & {
  /** Whether the account counts the conversions of its app. */
  isAppTracked: boolean;
};

/** A creative that a line item shows: what it is made of tells whether it is a video. */
export interface ShownCreative {
  lineItemId: string;
  id: string;
  kind: 'PROMOTED_POST' | 'PROMOTED_ACCOUNT' | 'MEDIA_CREATIVE';
  postId: string | null;
  mediaKeys: string[] | null;
  cardId: string | null;
  creativeType: CreativeType | null;
}

/** Planned each time: accounts have one line item or ten thousand. */
const LARGE = { large: true, planned: 'each time' } as const satisfies RunOptions;

/** FROM and WHERE of the line items `l` of the account $1 that can serve from $2 to $3, with their campaigns `c`. */
const SERVABLE = `FROM line_items l JOIN campaigns c ON c."accountId" = $1 AND c.id = l."campaignId"
  WHERE l."accountId" = $1 AND l."entityStatus" = 'ACTIVE' AND l."deletedAt" IS NULL AND NOT l."campaignDeleted" AND l.creatives > 0
    AND l."startTime" < $3::timestamptz AND l."endTime" > $2::timestamptz AND l."createdAt" < $3::timestamptz
    AND c."entityStatus" = 'ACTIVE' AND c."deletedAt" IS NULL
    AND (l."totalBudgetAmountLocalMicro" IS NULL OR l."spentLocalMicro" < l."totalBudgetAmountLocalMicro")
    AND (c."totalBudgetAmountLocalMicro" IS NULL OR c."spentLocalMicro" < c."totalBudgetAmountLocalMicro")`;

/** The campaigns with line items that can serve in an hour. */
export const servableCampaigns = (
  db: EntityManager,
  { accountId, start, end }: DeliveredHour,
): Promise<ServableCampaign[]> =>
  run(
    db,
    {
      text: `SELECT c.id, c."fundingInstrumentId", c."budgetOptimization", c."standardDelivery", c."dailyBudgetAmountLocalMicro",
          c."totalBudgetAmountLocalMicro", c."spentLocalMicro", count(*)::int AS items ${SERVABLE} GROUP BY c."accountId", c.id`,
      values: [accountId, start, end],
    },
    LARGE,
  );

/** The identifiers of the apps of the account $1 whose conversions are counted. */
const TRACKED_APPS = `SELECT a."appStoreIdentifier" FROM account_apps a
  WHERE a."accountId" = $1 AND a."conversionTrackingEnabled" AND a."deletedAt" IS NULL`;

/** A page of the line items that can serve in an hour, in the order of their ids. */
export const servableItems = (
  db: EntityManager,
  { accountId, start, end }: DeliveredHour,
  after: string,
  limit: number,
): Promise<ServableItem[]> =>
  run<ServableItem>(
    db,
    {
      text: `SELECT l.id, l."campaignId", l."fundingInstrumentId", l.currency, l.objective, l.goal, l.placements, l."bidStrategy",
          l."bidAmountLocalMicro", l."payBy", l."startTime", l."endTime", l."durationInDays", l."frequencyCap", l."standardDelivery",
          l."dailyBudgetAmountLocalMicro", l."totalBudgetAmountLocalMicro", l."spentLocalMicro", l."primaryWebEventTag",
          COALESCE(l."androidAppStoreIdentifier", '') IN (${TRACKED_APPS})
            OR COALESCE(l."iosAppStoreIdentifier", '') IN (${TRACKED_APPS}) AS "isAppTracked"
        ${SERVABLE} AND l.id > $4 ORDER BY l.id LIMIT $5`,
      values: [accountId, start, end, after, limit],
    },
    LARGE,
  );

const shown = (table: string, columns: string, join = '') =>
  `SELECT t."lineItemId", t.id, ${columns} FROM unnest($2::varchar[]) AS i (id)
    JOIN ${table} t ON t."accountId" = $1 AND t."lineItemId" = i.id COLLATE "C" ${join}
    WHERE t."deletedAt" IS NULL AND NOT t.paused AND t."approvalStatus" = 'ACCEPTED'`;

const SHOWN = [
  shown(
    'promoted_posts',
    `'PROMOTED_POST' AS kind, t."postId", o."mediaKeys", o."cardId", NULL AS "creativeType"`,
    'LEFT JOIN posts o ON o.id = t."postId"',
  ),
  shown('promoted_accounts', `'PROMOTED_ACCOUNT', NULL, NULL, NULL, NULL`),
  shown('media_creatives', `'MEDIA_CREATIVE', NULL, NULL, NULL, t."creativeType"`),
];

/** The creatives of these line items that are accepted and not paused, by line item and id. */
export const shownCreatives = (
  db: EntityManager,
  accountId: string,
  lineItemIds: readonly string[],
): Promise<ShownCreative[]> =>
  run<ShownCreative>(
    db,
    { text: `${SHOWN.join(' UNION ALL ')} ORDER BY 1, 2`, values: [accountId, lineItemIds] },
    LARGE,
  );

/** A card that a creative shows. */
export interface ShownCard {
  id: string;
  cardType: CardType;
  /** The lead forms to which it leads. */
  leadFormIds: string[];
}

/** These cards by id, as far as they are alive. A repost has the card of another account. */
export const shownCards = async (db: EntityManager, cardIds: readonly string[]): Promise<Map<string, ShownCard>> => {
  if (cardIds.length === 0) return new Map();
  const cards = await run<ShownCard>(db, {
    // few cards lead to a form: the others are not parsed
    text: `SELECT id, "cardType", CASE WHEN content::text LIKE '%"LEAD_FORM"%' THEN ARRAY(SELECT f #>> '{}'
          FROM jsonb_path_query(content::jsonb, 'strict $.**.destination ? (@.type == "LEAD_FORM").id') f) ELSE '{}' END AS "leadFormIds"
        FROM cards WHERE id = ANY($1::varchar[]) AND "deletedAt" IS NULL ${OF_ALL_ACCOUNTS}`,
    values: [cardIds],
  });
  return new Map(cards.map((card) => [card.id, card]));
};

/** The set of criteria of a line item that can serve. */
export interface TargetedSet {
  lineItemId: string;
  campaignId: string;
  /** A hash of the criteria: the same for line items with the same criteria. */
  setId: string;
  /** The number of types of targeting that include users. */
  types: number;
}

/** The criteria of a set in order, over criteria `t`. */
export const CRITERIA_ORDER = `t."targetingType", t."targetingValue", t."operatorType" COLLATE "C"`;

/** The hash of a set of criteria `t`. The length of a value tells where the next criterion begins. */
export const SET_ID = `left(md5(COALESCE(string_agg(concat_ws(' ', t."targetingType", t."operatorType", length(t."targetingValue"), t."targetingValue"),
  ' ' ORDER BY ${CRITERIA_ORDER}), '')), 16)`;

/** The sets of criteria of the line items that can serve in an hour. */
export const targetedSets = (db: EntityManager, { accountId, start, end }: DeliveredHour): Promise<TargetedSet[]> =>
  run<TargetedSet>(
    db,
    {
      // each set by itself: a sort of the criteria of all line items would go to disk
      text: `SELECT i.id AS "lineItemId", i."campaignId", s."setId", s.types FROM (SELECT l.id, l."campaignId" ${SERVABLE}) i,
        LATERAL (SELECT ${SET_ID} AS "setId", count(DISTINCT t."targetingType") FILTER (WHERE t."operatorType" <> 'NE')::int AS types
          FROM targeting_criteria t WHERE t."accountId" = $1 AND t."lineItemId" = i.id AND t."deletedAt" IS NULL) s`,
      values: [accountId, start, end],
    },
    LARGE,
  );

/** The criteria of a line item. */
export const criteriaOf = (db: EntityManager, accountId: string, lineItemId: string): Promise<SetCriterion[]> =>
  run<SetCriterion>(
    db,
    {
      text: `SELECT t."targetingType" AS targeting_type, t."targetingValue" AS targeting_value, t."operatorType" AS operator_type
        FROM targeting_criteria t WHERE t."accountId" = $1 AND t."lineItemId" = $2 AND t."deletedAt" IS NULL ORDER BY ${CRITERIA_ORDER}`,
      values: [accountId, lineItemId],
    },
    { large: true },
  );
