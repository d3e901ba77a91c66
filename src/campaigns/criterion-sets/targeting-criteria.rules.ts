import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { criterionKeyOf, problemsOfSet, type LineItemAround, type SetCriterion } from './criterion-set.rules.js';
import { ENGAGEMENT_TYPES_OF, type OperatorType, type TargetingType } from '../targeting-values/targeting-types.js';

/** A stored criterion. */
export interface CriterionRow extends SetCriterion {
  id: string;
}

/** The result for new criteria, by index, and for criteria to delete, by id. */
export interface Judgement {
  /** Problems of the new criteria. */
  problems: ReadonlyMap<number, readonly ApiError[]>;
  /** The id of the stored criterion that equals the new one. */
  existing: ReadonlyMap<number, string>;
  /** The index of an earlier new criterion that is equal. */
  same: ReadonlyMap<number, number>;
  /** The reasons why criteria cannot be deleted. */
  needed: ReadonlyMap<string, ApiError>;
}

/** The types that criteria of other types require. Such a criterion cannot be deleted before those that require it. */
const NEEDED_BY: Partial<Record<TargetingType, readonly TargetingType[]>> = {
  ENGAGEMENT_TYPE: ENGAGEMENT_TYPES_OF,
  TV_SHOW: ['LOCATION'],
  // one in a country that the curated category has
  LOCATION: ['LOCATION'],
};
const NEEDED = new Set(Object.values(NEEDED_BY).flat());

/** Whether other criteria may require this one, so that its deletion must be checked against them. */
export const isNeeded = (type: TargetingType): boolean => NEEDED.has(type);

/**
 * Validates adding criteria to those of a line item and deleting others. The final set counts, regardless of the order.
 * A stored criterion that remains is not added again. Runs in linear time.
 */
export function judge(
  stored: readonly CriterionRow[],
  wanted: readonly SetCriterion[],
  gone: ReadonlySet<string> = new Set(),
  around: LineItemAround = {},
): Judgement {
  const kept = gone.size === 0 ? stored : stored.filter(({ id }) => !gone.has(id));
  const known = new Map<string, { operator: OperatorType; id?: string; at?: number }>();
  if (wanted.length > 0)
    for (const criterion of kept)
      known.set(criterionKeyOf(criterion), { operator: criterion.operator_type, id: criterion.id });

  const [existing, same] = [new Map<number, string>(), new Map<number, number>()];
  const added: number[] = [];
  for (const [at, criterion] of wanted.entries()) {
    const key = criterionKeyOf(criterion);
    const found = known.get(key);
    if (found?.operator === criterion.operator_type) {
      if (found.id !== undefined) existing.set(at, found.id);
      else same.set(at, found.at!);
      continue;
    }
    added.push(at);
    if (!found) known.set(key, { operator: criterion.operator_type, at });
  }

  const found = problemsOfSet([...kept, ...added.map((at) => wanted[at])], around);
  const faulty = (at: number, i: number): [number, ApiError[]][] =>
    found[kept.length + i].length > 0 ? [[at, found[kept.length + i]]] : [];
  const alone = kept.filter((_, i) => found[i].length > 0);
  return {
    problems: new Map(added.flatMap(faulty)),
    existing,
    same,
    needed: gone.size > 0 && alone.length > 0 ? neededBy(alone, stored, gone, around) : new Map(),
  };
}

/** Reports the deletions that leave a remaining criterion `alone`, if it was not alone before. */
function neededBy(
  alone: readonly CriterionRow[],
  stored: readonly CriterionRow[],
  gone: ReadonlySet<string>,
  around: LineItemAround,
): Map<string, ApiError> {
  const before = problemsOfSet(stored, around);
  const wereFine = new Set(stored.filter((_, i) => before[i].length === 0));
  const abandoned = alone.filter((criterion) => wereFine.has(criterion));
  return new Map(
    stored.flatMap(({ id, targeting_type: type }): [string, ApiError][] => {
      const needing = gone.has(id) && abandoned.find((each) => NEEDED_BY[each.targeting_type]?.includes(type));
      return needing ? [[id, stillNeeded(id, needing)]] : [];
    }),
  );
}

const stillNeeded = (id: string, { targeting_type: type, targeting_value: value, id: needing }: CriterionRow) =>
  invalid('targeting_criterion_id', `Targeting Criterion ${id} is required by a criterion of type ${type}`, {
    value: id,
    details: `delete ${needing} (${type} ${value}) first, or in the same batch`,
  });
