import type { EntityManager } from 'typeorm';
import { sqlStateOf } from '../../common/db/sqlstate.js';
import { run } from '../../common/db/query/statement.js';
import type { Write } from '../../common/db/query/write.js';
import { AS_JUDGED } from './targeting-criterion.entity.js';
import type { CriterionRow } from './targeting-criteria.rules.js';
import type { OperatorType, TargetingType } from '../targeting-values/targeting-types.js';

/** All criteria of a line item, oldest first. */
export interface StoredSet {
  lineItemId: string;
  campaignId: string;
  /** The revision of the set: see TargetingSet. Zero if it never had a criterion. */
  revision: number;
  /** The countries of its curated category; null without one. */
  curatedIn: string[] | null;
  criteria: CriterionRow[];
}

interface SetRow {
  lineItemId: string;
  campaignId: string;
  revision: number;
  curatedIn: string[] | null;
  id: string | null;
  type: TargetingType;
  value: string;
  operator: OperatorType;
}

/** Number of criteria per read: each line item can have 4,000. */
const AT_ONCE = 10_000;

const LINE_ITEM_IS_ALIVE = `l."accountId" = $1 AND l."deletedAt" IS NULL AND NOT l."campaignDeleted"`;

/**
 * The sets of the existing line items among these, one at a time, ordered by id. Release each set before reading the
 * next. A set is never older than its revision.
 */
export async function* setsOf(
  db: EntityManager,
  accountId: string,
  lineItemIds: Iterable<string>,
): AsyncGenerator<StoredSet> {
  let wanted = [...new Set(lineItemIds)].sort();
  // The usual case. PostgreSQL plans it once.
  const single = wanted.length === 1 ? wanted[0] : undefined;
  let set: StoredSet | undefined;
  let after = '';
  while (wanted.length > 0) {
    const found = await run<SetRow>(
      db,
      {
        text: `SELECT l.id AS "lineItemId", l."campaignId", COALESCE(s.revision, 0) AS revision, CASE WHEN c.id IS NOT NULL THEN COALESCE(k."countryCodes", '{}') END AS "curatedIn", t.id, t."targetingType" AS type,
            t."targetingValue" AS value, t."operatorType" AS operator
          FROM line_items l LEFT JOIN targeting_sets s ON s."accountId" = $1 AND s."lineItemId" = l.id
          LEFT JOIN line_item_curated_categories c ON c."accountId" = $1 AND c."lineItemId" = l.id AND c."deletedAt" IS NULL
          LEFT JOIN curated_categories k ON k.id = c."curatedCategoryId"
          LEFT JOIN targeting_criteria t ON t."accountId" = $1 AND t."lineItemId" = l.id AND t."deletedAt" IS NULL
            AND (l.id <> $3 OR t.id > $4)
          WHERE l.id = ${single === undefined ? 'ANY($2::varchar[])' : '$2'} AND ${LINE_ITEM_IS_ALIVE}
          ORDER BY l.id, t.id LIMIT ${AT_ONCE}`,
        values: [accountId, single ?? wanted, set?.lineItemId ?? '', after],
      },
      { large: single === undefined },
    );
    for (const row of found) {
      if (row.lineItemId !== set?.lineItemId) {
        if (set) yield set;
        const { lineItemId, campaignId, revision, curatedIn } = row;
        set = { lineItemId, campaignId, revision, curatedIn, criteria: [] };
      }
      const { id, type, value, operator } = row;
      if (id !== null) set.criteria.push({ id, targeting_type: type, targeting_value: value, operator_type: operator });
    }
    if (found.length < AT_ONCE) break;
    const { lineItemId: last } = found[AT_ONCE - 1];
    wanted = wanted.filter((id) => id >= last);
    after = found[AT_ONCE - 1].id ?? '';
  }
  if (set) yield set;
}

/**
 * Locks the criteria of these line items until the end of the transaction and increments their revisions. Like every
 * statement that stores criteria, it locks the line items first, to avoid deadlocks.
 */
export async function lockSets(db: EntityManager, accountId: string, lineItemIds: Iterable<string>): Promise<void> {
  await run(db, {
    text: `WITH held AS (SELECT l.id FROM line_items l WHERE l.id = ANY($2::varchar[]) AND ${LINE_ITEM_IS_ALIVE}
        ORDER BY l.id FOR KEY SHARE)
      INSERT INTO targeting_sets AS s ("accountId", "lineItemId", revision) SELECT $1, id, 1 FROM held ORDER BY id
      ON CONFLICT ("accountId", "lineItemId") DO UPDATE SET revision = s.revision + 1`,
    values: [accountId, [...new Set(lineItemIds)].sort()],
  });
}

/**
 * Records that criteria were validated against these sets. If a set has another revision by then, the whole statement
 * fails (see `isOvertaken`).
 */
export const setsUnchanged = (
  accountId: string,
  sets: readonly Pick<StoredSet, 'lineItemId' | 'revision'>[],
): Write => ({
  empty: sets.length === 0,
  sql: (_, bind, when) => {
    const account = `${bind(accountId)}::varchar`;
    const judged =
      sets.length === 1
        ? `SELECT ${account}, ${bind(sets[0].lineItemId)}::varchar, ${bind(sets[0].revision)}::int + 1 WHERE ${when}`
        : `SELECT ${account}, j.id, j.revision + 1 FROM json_to_recordset(${bind(JSON.stringify(sets.map(({ lineItemId: id, revision }) => ({ id, revision }))))})
            AS j (id varchar, revision int) WHERE ${when} ORDER BY j.id COLLATE "C"`;
    return `INSERT INTO targeting_sets AS s ("accountId", "lineItemId", revision) ${judged}
      ON CONFLICT ("accountId", "lineItemId") DO UPDATE SET revision = CASE WHEN s.revision = EXCLUDED.revision - 1 THEN EXCLUDED.revision ELSE -1 END`;
  },
});

/** Whether criteria were rejected because others were stored after the set was read. */
export const isRevisionConflict = (error: unknown): boolean => sqlStateOf(error).constraint === AS_JUDGED;

/** The filter for campaigns of an account. */
interface Wanted {
  accountId: string;
  audienceId: string;
  /** Only campaigns with an active line item that targets the audience. */
  active: boolean;
  /** When a line item is active. */
  now: string;
  /** The last campaign of the previous page. Defaults to starting with the newest. */
  after?: string;
  limit: number;
}

/** Sorts after every id. */
const END = '~';

/** The ids of campaigns with a line item that targets the audience, newest first, read in index order. */
export async function campaignsTargeting(
  db: EntityManager,
  { accountId, audienceId, active, now, after = END, limit }: Wanted,
): Promise<string[]> {
  const found = await run<{ id: string }>(
    db,
    {
      text: `SELECT DISTINCT t."campaignId" AS id FROM targeting_criteria t JOIN line_items l ON l."accountId" = t."accountId" AND l.id = t."lineItemId"
        WHERE t."targetingValue" = $1 AND t."accountId" = $2 AND t."campaignId" < $3 AND t."deletedAt" IS NULL
          AND t."targetingType" IN ('CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED')
          AND l."deletedAt" IS NULL AND NOT l."campaignDeleted" AND (NOT $4::boolean OR (l."entityStatus" = 'ACTIVE' AND l."endTime" > $6::timestamptz))
        ORDER BY id DESC LIMIT $5`,
      values: [audienceId, accountId, after, active, limit, now],
    },
    { large: true },
  );
  return found.map(({ id }) => id);
}
