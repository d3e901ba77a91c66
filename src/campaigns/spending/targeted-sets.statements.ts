import type { EntityManager } from 'typeorm';
import { run } from '../../common/db/query/statement.js';
import type { SetCriterion } from '../criterion-sets/criterion-set.rules.js';
import { LARGE, SERVABLE, type DeliveredHour } from './servable-items.statements.js';

/** The set of criteria of a line item that can serve. */
export interface TargetedSet {
  lineItemId: string;
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
      text: `SELECT i.id AS "lineItemId", s."setId", s.types FROM (SELECT l.id ${SERVABLE}) i,
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
