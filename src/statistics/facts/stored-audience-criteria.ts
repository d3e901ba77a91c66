import { MAX_CRITERIA, OPERATOR_TYPES, TARGETING_TYPES } from '../../campaigns/targeting-values/targeting-types.js';
import type { ContentProblem } from '../../common/entity/content-problem.js';

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
