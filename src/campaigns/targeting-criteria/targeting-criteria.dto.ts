import { Rule } from '../../common/http/params/dto-metadata.js';
import { Example } from '../../common/http/params/example.js';
import { Id, Ids, OneOf, Text } from '../../common/http/params/fields.js';
import { missing } from '../../common/errors/catalogue.js';
import { ListQuery, OneQuery } from '../../common/list/list-query.js';
import { operatorProblem } from '../criterion-sets/criterion-set.rules.js';
import { Lang } from '../targeting-look-ups/look-ups.dto.js';
import { AUDIENCE_TYPES, TargetingCriterion } from '../criterion-sets/targeting-criterion.entity.js';
import {
  defaultOperator,
  OPERATOR_TYPES,
  TARGETING_TYPES,
  type OperatorType,
  type TargetingType,
} from '../targeting-values/targeting-types.js';

@Example({ line_item_ids: ['{line_item_id}'] })
export class ListTargetingCriteria extends ListQuery(TargetingCriterion) {
  /** Only criteria of these line items. */
  @Ids({}) line_item_ids: string[];
  /** Only the criteria with these ids. */
  @Ids() targeting_criterion_ids?: string[];
  /** Adds `localized_name`: what each is called in this language, where that is known. */
  @Lang() lang?: string;
}

export class GetTargetingCriterion extends OneQuery {
  /** Adds `localized_name`: what it is called in this language, where that is known. */
  @Lang() lang?: string;
}

const needsOperator = (type: TargetingType): boolean => (AUDIENCE_TYPES as readonly TargetingType[]).includes(type);

/** Audiences say whether they are meant or left out; of all others one operator is the default. */
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
  /** The line item that it belongs to. */
  @Id() line_item_id: string;
  /** How it holds: needed of audiences, otherwise EQ unless the type takes only others. */
  @OneOf(OPERATOR_TYPES, { absentIfEmpty: true }) operator_type?: OperatorType;
  /** What kind of thing is targeted. */
  @OneOf(TARGETING_TYPES) targeting_type: TargetingType;
  /** What is targeted: a value of the look-up of its type, the id of an audience, a user or a campaign, or a keyword. */
  @Text({ max: 1000, orNumber: true }) targeting_value: string;
}

export class DeleteTargetingCriterionOperation {
  /** The criterion to delete. */
  @Id() targeting_criterion_id: string;
}

/** The operations of a batch: criteria are never changed. */
export const TARGETING_CRITERION_OPERATIONS = {
  Create: CreateTargetingCriterion,
  Delete: DeleteTargetingCriterionOperation,
};

/** The operator of a criterion, given or by default. */
export const operatorOf = ({ targeting_type: type, operator_type: given }: CreateTargetingCriterion): OperatorType =>
  given ?? defaultOperator(type);
