import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Id, Ids, OneOf, Text } from '../../common/http/params/fields.js';
import { missing } from '../../common/errors/catalogue.js';
import { ListQuery, OneQuery } from '../../common/list/list-query.js';
import { operatorProblem } from '../criterion-sets/criterion-set.rules.js';
import { Lang } from '../targeting-look-ups/look-ups.dto.js';
import { AUDIENCE_TARGETING_TYPES, TargetingCriterion } from '../criterion-sets/targeting-criterion.entity.js';
import {
  defaultOperator,
  OPERATOR_TYPES,
  TARGETING_TYPES,
  type OperatorType,
  type TargetingType,
} from '../targeting-values/targeting-types.js';

@Example({ line_item_ids: ['{line_item_id}'] })
export class ListTargetingCriteria extends ListQuery(TargetingCriterion) {
  /** Filters by line item ids. */
  @Ids({}) line_item_ids: string[];
  /** Filters by targeting criterion ids. */
  @Ids() targeting_criterion_ids?: string[];
  /** Adds `localized_name`, the name of each value in this language, if it is known. */
  @Lang() lang?: string;
}

export class GetTargetingCriterion extends OneQuery {
  /** Adds `localized_name`, the name of the value in this language, if it is known. */
  @Lang() lang?: string;
}

const needsOperator = (type: TargetingType): boolean =>
  (AUDIENCE_TARGETING_TYPES as readonly TargetingType[]).includes(type);

/** Audiences require an operator, which includes or excludes them. All other types have a default operator. */
const operator = ({
  targeting_type: type,
  operator_type: given,
}: Pick<CreateTargetingCriterion, 'targeting_type' | 'operator_type'>) =>
  given === undefined
    ? needsOperator(type)
      ? missing('operator_type', `with targeting_type ${type}`)
      : undefined
    : operatorProblem(type, given);

@Rule(['targeting_type', 'operator_type'], operator)
@Example({ line_item_id: '{line_item_id}', targeting_type: 'LOCATION', targeting_value: '3b77caf94bfc81fe' })
export class CreateTargetingCriterion {
  /** The line item of the criterion. */
  @Id() line_item_id: string;
  /** How the criterion applies. Required for audiences. Otherwise defaults to EQ, unless the type does not allow EQ. */
  @OneOf(OPERATOR_TYPES, { absentIfEmpty: true }) operator_type?: OperatorType;
  /** The targeting type. */
  @OneOf(TARGETING_TYPES) targeting_type: TargetingType;
  /**
   * The targeted value: a value from the look-up of its type, the id of an audience, a user or a campaign, or a
   * keyword.
   */
  @Text({ max: 1000, orNumber: true }) targeting_value: string;
}

class DeleteTargetingCriterionOperation {
  /** The criterion to delete. */
  @Id() targeting_criterion_id: string;
}

/** The operations of a batch. Criteria cannot be updated. */
export const TARGETING_CRITERION_OPERATIONS = {
  Create: CreateTargetingCriterion,
  Delete: DeleteTargetingCriterionOperation,
};

/** The operator of a criterion, as sent or by default. */
export const operatorOf = ({ targeting_type: type, operator_type: given }: CreateTargetingCriterion): OperatorType =>
  given ?? defaultOperator(type);
