import { Column, Entity } from 'typeorm';
import { MAX_CRITERIA, OPERATOR_TYPES, TARGETING_TYPES } from '../../campaigns/targeting-values/targeting-types.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { InSnapshots, LONG_AGO, type ContentProblem } from '../../common/entity/snapshots.js';

/** A criterion of an audience: the type, the value, and whether it includes or excludes users. */
export type AudienceCriterion = readonly [type: string, value: string, operator: string];

/** The number of users without targeting that the directory knows. */
export const POPULATION = 10_000_000;

/**
 * The smallest and the largest number of users of an audience. Fewer users would see hardly anything, because the directory
 * of a sandbox is often small; more would make products inexact.
 */
export const MIN_AUDIENCE = 1_000;
export const MAX_AUDIENCE = 10_000_000_000;

/** The number of users that so many types of targeting include, for audiences that are not estimated: each halves it. */
export const usersByTypes = (types: number): number =>
  Math.max(MIN_AUDIENCE, Math.floor(POPULATION / 2 ** Math.min(types, 52)));

/** The number of types of targeting that include users. */
const includedTypes = (criteria: readonly AudienceCriterion[]): number =>
  new Set(criteria.flatMap(([type, , operator]) => (operator === 'NE' ? [] : [type]))).size;

/** An audience that line items of an account target: those with the same criteria share it. */
@Entity('delivery_audiences')
@InSnapshots({
  withheld: {
    users: ({ criteria }) => usersByTypes(includedTypes(criteria as AudienceCriterion[])),
    estimatedAt: () => LONG_AGO,
  },
})
export class DeliveryAudience {
  @IdColumn({ primary: true }) accountId: string;
  /** A hash of the criteria. */
  @IdColumn({ primary: true }) id: string;
  /** In alphabetical order, each once; none if the line items target everybody. */
  @Column({ type: 'jsonb' }) criteria: AudienceCriterion[];
  /** The number of users, as far as it is estimated. */
  @Column({ type: 'bigint' }) users: number;
  /** When the number was estimated, by the clock of the account; in 1970 if it stands in for an estimate to come. */
  @TimestampColumn() estimatedAt: Date;
}

const TYPES: ReadonlySet<unknown> = new Set(TARGETING_TYPES);
const OPERATORS: ReadonlySet<unknown> = new Set(OPERATOR_TYPES);

/** Why `criteria` is not what the delivery stores of an audience; undefined if it is. */
export function audienceCriteriaProblem(criteria: unknown): ContentProblem | undefined {
  const problem = (message: string) => ({ column: 'criteria', message });
  if (!Array.isArray(criteria) || criteria.length > MAX_CRITERIA)
    return problem(`Expected a list of at most ${MAX_CRITERIA} criteria`);
  const isCriterion = (each: unknown) =>
    Array.isArray(each) &&
    each.length === 3 &&
    TYPES.has(each[0]) &&
    typeof each[1] === 'string' &&
    OPERATORS.has(each[2]);
  const at = criteria.findIndex((each) => !isCriterion(each));
  if (at < 0) return undefined;
  const got = JSON.stringify(criteria[at]);
  return problem(`Expected a targeting type, a value and an operator for criterion ${at}, got ${got.slice(0, 200)}`);
}
