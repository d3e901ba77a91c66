import type { EntityManager } from 'typeorm';
import { ConflictRetry } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { run, type Bind } from '../../common/db/query/statement.js';
import type { Precondition, Write } from '../../common/db/query/write.js';
import { Campaign } from '../entities/campaign.entity.js';
import { NEARNESS } from '../delivery-state.js';
import { LineItem } from '../entities/line-item.entity.js';

type New = Pick<Row<LineItem>, 'campaignId' | 'objective' | 'productType' | 'entityStatus' | 'startTime' | 'endTime'>;

/**
 * The campaigns are unchanged since new line items were validated against them, and their aggregates are locked until
 * the statement ends: two first line items with different objectives cannot both be stored. Campaigns whose flight
 * already covers the new line items still cover them, so they need no update. There is at least one.
 * `forget`: see `unchanged`.
 */
export function campaignsUnchanged(
  campaigns: readonly Row<Campaign>[],
  created: readonly New[],
  forget: () => void,
): Precondition {
  const [{ accountId }] = campaigns;
  const newIn = new Map(created.map((item) => [item.campaignId, item]));
  const wider = new Set(beyond(campaigns, created).map(({ id }) => id));
  const expected = campaigns.flatMap(
    ({ id, updatedAt: at, spentLocalMicro: spent, startTime: start, endTime: end }) => {
      const item = newIn.get(id);
      if (!item) return [];
      const { objective, productType: product } = item;
      return [{ id, at, spent, objective, product, spanned: !wider.has(id), ...(!wider.has(id) && { start, end }) }];
    },
  );
  const lock = wider.size > 0 ? 'FOR NO KEY UPDATE' : 'FOR SHARE';
  const refusal = () => {
    forget();
    return new ConflictRetry();
  };
  // There is almost always one campaign. A join over a list of one takes a seventh of the time of storing a line item.
  if (expected.length === 1)
    return { sql: (_, bind) => `${stillJudged(accountId, expected[0], bind)} ${lock}`, refusal };
  return {
    sql: (_, bind) => `SELECT 1 FROM (
        SELECT c.id FROM campaigns c JOIN json_to_recordset(${bind(JSON.stringify(expected))})
          AS e (id varchar, at timestamptz, spent bigint, objective varchar, product varchar, spanned boolean, start timestamptz,
            "end" timestamptz)
          ON c.id = e.id COLLATE "C"
        WHERE ${amongIds('c', bind, accountId, expected)} AND c."updatedAt" = e.at AND c."spentLocalMicro" = e.spent AND c."deletedAt" IS NULL
          AND CASE WHEN e.spanned
          THEN c.objective = e.objective AND c."productType" = e.product
            AND c."startTime" IS NOT DISTINCT FROM e.start AND c."endTime" IS NOT DISTINCT FROM e."end"
          ELSE COALESCE(c.objective = e.objective, true) AND COALESCE(c."productType" = e.product, true) END
        ORDER BY c.id ${lock} OF c
      ) found HAVING count(*) = ${bind(expected.length)}::int`,
    refusal,
  };
}

/** A campaign as its new line item was validated against it. */
interface Expected {
  id: string;
  at: string;
  spent: number;
  objective: string;
  product: string;
  /** Its flight already covers that of the new line item, from `start` to `end`. */
  spanned: boolean;
  start?: string | null;
  end?: string | null;
}

function stillJudged(accountId: string, expected: Expected, bind: Bind): string {
  const { id, at, spent, objective, product, spanned, start, end } = expected;
  const same = (column: string, value: string) => `${column} = ${bind(value)}`;
  const time = (value: string | null | undefined) => `${bind(value)}::timestamptz`;
  const kept = spanned
    ? `${same('objective', objective)} AND ${same('"productType"', product)}
        AND "startTime" IS NOT DISTINCT FROM ${time(start)} AND "endTime" IS NOT DISTINCT FROM ${time(end)}`
    : `COALESCE(${same('objective', objective)}, true) AND COALESCE(${same('"productType"', product)}, true)`;
  return `SELECT 1 FROM campaigns WHERE ${same('"accountId"', accountId)} AND ${same('id', id)} AND ${same('"updatedAt"', at)} AND "deletedAt" IS NULL
      AND "spentLocalMicro" = ${bind(spent)} AND ${kept}`;
}

/** Extends the aggregates of campaigns by new line items. The result is correct in any order of concurrent writes. */
export function extendCampaignFlight(campaigns: readonly Row<Campaign>[], created: readonly New[]): Write {
  const spans = beyond(campaigns, created);
  return {
    empty: spans.length === 0,
    sql: (_, bind, when) => `UPDATE campaigns c SET objective = COALESCE(c.objective, e.objective),
      "productType" = COALESCE(c."productType", e.product),
      "startTime" = LEAST(c."startTime", e.start), "endTime" = GREATEST(c."endTime", e."end")
    FROM (SELECT id, min(objective) AS objective, min(product) AS product, min(start) AS start, max("end") AS "end"
      FROM json_to_recordset(${bind(JSON.stringify(spans))})
        AS i (id varchar, objective varchar, product varchar, start timestamptz, "end" timestamptz) GROUP BY id) e
    WHERE c.id = e.id COLLATE "C" AND ${amongIds('c', bind, campaigns[0].accountId, spans)} AND ${when}`,
  };
}

/**
 * Restricts the rows of an account joined with a list by id. PostgreSQL assumes a hundred rows for every list and would
 * scan the table.
 */
const amongIds = (alias: string, bind: Bind, accountId: string, items: readonly { id: string }[]): string =>
  `${alias}."accountId" = ${bind(accountId)} AND ${alias}.id = ANY(${bind([...new Set(items.map(({ id }) => id))])}::varchar[] COLLATE "C")`;

/** The part of new line items that extends the aggregates of their campaigns. */
function beyond(campaigns: readonly Row<Campaign>[], items: readonly New[]) {
  const kept = new Map(campaigns.map((campaign) => [campaign.id, campaign]));
  return items.map(spanOf).filter(({ id, start, end }) => {
    const { objective, startTime, endTime } = kept.get(id)!;
    const within =
      start === null ||
      (startTime !== null &&
        endTime !== null &&
        new Date(startTime) <= new Date(start) &&
        new Date(end!) <= new Date(endTime));
    return objective === null || !within;
  });
}

/** Drafts are not part of a flight. */
function spanOf({ campaignId: id, objective, productType: product, entityStatus, startTime, endTime }: New) {
  const isDraft = entityStatus === 'DRAFT';
  return { id, objective, product, start: isDraft ? null : startTime, end: isDraft ? null : endTime };
}

/** Whether a line item `l` that is not deleted serves during its flight. */
const SERVES = `l."entityStatus" = 'ACTIVE' AND l.creatives > 0`;

/** Recomputes the aggregates of campaigns from their line items. Lock the campaigns before reading them. */
export async function recomputeCampaign(
  db: EntityManager,
  accountId: string,
  campaignIds: readonly string[],
): Promise<void> {
  await run(db, {
    text: `UPDATE campaigns c SET objective = s.objective, "productType" = s.product, "startTime" = s.start, "endTime" = s."end",
        complete = s.complete, "servesUntil" = s.flight[1], "servesFrom" = s.flight[2]
      FROM (SELECT k.id, min(l.objective) AS objective, min(l."productType") AS product,
          min(l."startTime") FILTER (WHERE l."entityStatus" <> 'DRAFT') AS start,
          max(l."endTime") FILTER (WHERE l."entityStatus" <> 'DRAFT') AS "end",
          COALESCE(bool_or(l.creatives > 0), false) AS complete,
          max(ARRAY[l."endTime", l."startTime"]) FILTER (WHERE ${SERVES}) AS flight
        FROM unnest($1::varchar[]) AS k (id)
        LEFT JOIN line_items l ON l."accountId" = $2 AND l."campaignId" = k.id COLLATE "C" AND l."deletedAt" IS NULL
        GROUP BY k.id) s
      WHERE c."accountId" = $2 AND c.id = s.id COLLATE "C" AND (c.objective, c."productType", c."startTime", c."endTime", c.complete,
          c."servesUntil", c."servesFrom")
        IS DISTINCT FROM (s.objective, s.product, s.start, s."end", s.complete, s.flight[1], s.flight[2])`,
    values: [[...new Set(campaignIds)].sort(), accountId],
  });
}

const OF_CAMPAIGNS = `"accountId" = $2 AND "campaignId" = ANY($1::varchar[]) AND "deletedAt" IS NULL`;

/** Locks the line items of these campaigns of an account, before the campaigns, as everywhere. */
export async function lockItems(db: EntityManager, accountId: string, campaignIds: readonly string[]): Promise<void> {
  if (campaignIds.length === 0) return;
  await run(db, {
    text: `SELECT id FROM line_items WHERE ${OF_CAMPAIGNS} ORDER BY id FOR UPDATE`,
    values: [[...campaignIds], accountId],
  });
}

/**
 * Counts the active line items of these campaigns and locks all their line items, so that nothing that names one can be
 * stored. Lock the line items (`lockItems`) and then the campaigns first. If another transaction has locked a line item
 * created in between, this does not wait: the work is repeated.
 */
export async function lockedActive(
  db: EntityManager,
  accountId: string,
  campaignIds: readonly string[],
): Promise<number> {
  const [{ active, all }] = await run<{ active: number; all: boolean }>(db, {
    text: `SELECT (count(*) FILTER (WHERE counted))::int AS active,
        count(*) = (SELECT count(*) FROM line_items WHERE ${OF_CAMPAIGNS}) AS all
      FROM (SELECT counted FROM line_items WHERE ${OF_CAMPAIGNS} ORDER BY id FOR UPDATE SKIP LOCKED) held`,
    values: [[...campaignIds], accountId],
  });
  if (!all) throw new ConflictRetry();
  return active;
}

/** Line items of deleted campaigns remain unchanged, but are no longer listed or counted. */
export const markCampaignDeleted = (accountId: string, campaignIds: readonly string[]): Write => ({
  empty: campaignIds.length === 0,
  sql: (_, bind, when) => `UPDATE line_items SET "campaignDeleted" = true, counted = false
    WHERE "accountId" = ${bind(accountId)} AND "campaignId" = ANY(${bind(campaignIds)}::varchar[]) AND ${when}`,
});

/**
 * For each of these campaigns, the rank (`NEARNESS`) of the line item that is nearest to serving at a given time. Null if
 * it has only drafts or none.
 */
export async function nearestToServing(
  db: EntityManager,
  accountId: string,
  campaignIds: readonly string[],
  now: Date,
): Promise<Map<string, number | null>> {
  if (campaignIds.length === 0) return new Map();
  const found = await run<{ id: string; nearest: number | null }>(db, {
    text: `SELECT k.id, (${nearestOf('$3', 'k.id COLLATE "C"', '$2::timestamptz')}) AS nearest FROM unnest($1::varchar[]) AS k (id)`,
    values: [[...campaignIds], now.toISOString(), accountId],
  });
  return new Map(found.map(({ id, nearest }) => [id, nearest]));
}

/** The same as a column of campaigns that are read; null also for a campaign that is not complete. */
export const nearestOfCampaign = (now: Date) => (bind: Bind) => {
  const at = `${bind(now.toISOString())}::timestamptz`;
  return `CASE WHEN NOT r.complete THEN NULL WHEN r."servesFrom" <= ${at} AND r."servesUntil" > ${at} THEN ${SERVING}
    ELSE (${nearestOf('r."accountId"', 'r.id', at)}) END`;
};

/** The rank of a line item that can serve, which no other outranks. */
const SERVING = NEARNESS.running + NEARNESS.active + NEARNESS.complete + NEARNESS.started;

const nearestOf = (accountId: string, campaignId: string, now: string) => `
  SELECT max(CASE WHEN l."endTime" > ${now} THEN ${NEARNESS.running} ELSE 0 END
    + CASE WHEN l."entityStatus" = 'ACTIVE' THEN ${NEARNESS.active} ELSE 0 END
    + CASE WHEN l.creatives > 0 THEN ${NEARNESS.complete} ELSE 0 END
    + CASE WHEN l."startTime" <= ${now} THEN ${NEARNESS.started} ELSE 0 END)
  FROM line_items l WHERE l."accountId" = ${accountId} AND l."campaignId" = ${campaignId} AND l."deletedAt" IS NULL AND l."entityStatus" <> 'DRAFT'`;

/** The budgets and the bid of a line item, in micro-units. */
export interface ItemAmounts {
  id: string;
  daily: number | null;
  total: number | null;
  bid: number | null;
}

/** The amounts of the line items of these campaigns, by campaign. */
export async function amountsOf(
  db: EntityManager,
  accountId: string,
  campaignIds: readonly string[],
): Promise<Map<string, ItemAmounts[]>> {
  if (campaignIds.length === 0) return new Map();
  const found = await run<ItemAmounts & { campaignId: string }>(db, {
    text: `SELECT id, "campaignId", "dailyBudgetAmountLocalMicro" AS daily, "totalBudgetAmountLocalMicro" AS total,
        "bidAmountLocalMicro" AS bid
      FROM line_items
      WHERE ${OF_CAMPAIGNS}
      ORDER BY id`,
    values: [[...campaignIds], accountId],
  });
  const byCampaign = new Map<string, ItemAmounts[]>();
  for (const { campaignId, ...amounts } of found) {
    const others = byCampaign.get(campaignId);
    if (others) others.push(amounts);
    else byCampaign.set(campaignId, [amounts]);
  }
  return byCampaign;
}

/** A change in the number of a line item's creatives. */
export interface ShownLineItem {
  lineItemId: string;
  /** Greater than zero. */
  by: number;
}

const shownBy = (sign: '+' | '-', accountId: string, changes: readonly ShownLineItem[]): Write => ({
  empty: changes.length === 0,
  sql: (_, bind, when) => `UPDATE line_items l SET creatives = l.creatives ${sign} d.by
    FROM (SELECT id, sum(by)::int AS by FROM json_to_recordset(${bind(JSON.stringify(changes.map(({ lineItemId: id, by }) => ({ id, by }))))})
      AS c (id varchar, by int) GROUP BY id) d
    WHERE l.id = d.id COLLATE "C" AND ${amongIds(
      'l',
      bind,
      accountId,
      changes.map(({ lineItemId: id }) => ({ id })),
    )} AND ${when}`,
});

/**
 * Adds creatives to the counts of line items and marks their campaigns as complete. The result is correct in any order
 * of concurrent writes.
 */
export const incrementCreatives = (accountId: string, changes: readonly ShownLineItem[]): Write[] => {
  const shown = shownBy('+', accountId, changes);
  return [
    {
      ...shown,
      name: 'shown',
      sql: (...args) =>
        `${shown.sql(...args)} RETURNING l."campaignId", l."startTime", l."endTime", ${SERVES} AS serves`,
    },
    {
      empty: changes.length === 0,
      // Always set, because a concurrent recomputation may not have seen the rows stored here. The flight is that of the
      // row as it was locked: the statement itself still sees a line item that was paused meanwhile as active.
      sql: (_, bind) => `UPDATE campaigns c SET complete = true,
          "servesFrom" = CASE WHEN ${LONGER} THEN s."startTime" ELSE c."servesFrom" END,
          "servesUntil" = CASE WHEN ${LONGER} THEN s."endTime" ELSE c."servesUntil" END
        FROM shown s WHERE c."accountId" = ${bind(accountId)} AND c.id = s."campaignId"`,
    },
  ];
};

/** A line item that got a creative serves for longer than the one that the campaign knows. */
const LONGER = `s.serves AND s."endTime" > COALESCE(c."servesUntil", '-infinity')`;

/**
 * Subtracts creatives from the counts of line items. The line items and their campaigns are locked, and the campaigns
 * are recomputed afterwards.
 */
export async function decrementCreatives(
  db: EntityManager,
  accountId: string,
  unit: { addWrite(...writes: Write[]): void; afterFlush(work: () => Promise<void>): void },
  changes: readonly ShownLineItem[],
): Promise<void> {
  const ids = [...new Set(changes.map(({ lineItemId }) => lineItemId))];
  const items = await rows(db, LineItem)
    .where('accountId', accountId)
    .withDeleted()
    .whereIn('id', ids)
    .setLock('for_no_key_update')
    .getMany();
  const campaignIds = [...new Set(items.map(({ campaignId }) => campaignId))];
  await rows(db, Campaign)
    .where('accountId', accountId)
    .withDeleted()
    .whereIn('id', campaignIds)
    .setLock('for_no_key_update')
    .getMany();
  unit.addWrite(shownBy('-', accountId, changes));
  unit.afterFlush(() => recomputeCampaign(db, accountId, campaignIds));
}

/** Sets the placements of a line item and nothing else, so that its creatives can be counted concurrently. */
export const placed = ({
  accountId,
  id,
  placements,
  updatedAt,
}: Pick<Row<LineItem>, 'accountId' | 'id' | 'placements' | 'updatedAt'>): Write => ({
  sql: (
    _,
    bind,
    when,
  ) => `UPDATE line_items SET placements = ${bind(placements)}::varchar[], "updatedAt" = ${bind(updatedAt)}::timestamptz
    WHERE "accountId" = ${bind(accountId)} AND id = ${bind(id)} AND ${when}`,
});
