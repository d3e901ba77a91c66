import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { enumSchema, Field, OneOf, Text } from '../../common/http/params/fields.js';
import { nested, part, partList } from '../../common/http/params/parts.js';
import {
  MAX_CRITERIA,
  OPERATOR_TYPES,
  TARGETING_TYPES,
  type OperatorType,
  type TargetingType,
} from '../targeting-values/targeting-types.js';
import { primaryProblem, type GivenEstimateCriterion } from './audience-estimate.rules.js';

const MAX_VALUE_LENGTH = 255;

class EstimateCriterion implements GivenEstimateCriterion {
  @OneOf(TARGETING_TYPES) targeting_type: TargetingType;
  @Text({ max: MAX_VALUE_LENGTH, orNumber: true }) targeting_value: string;
  @OneOf(OPERATOR_TYPES, { absentIfEmpty: true }) operator_type?: OperatorType;
}

const criteria = nested(partList(part(EstimateCriterion), { min: 1, max: MAX_CRITERIA }));

const CRITERIA: ApiPropertyOptions = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_CRITERIA,
  items: {
    type: 'object',
    required: ['targeting_type', 'targeting_value'],
    properties: {
      targeting_type: { ...enumSchema(TARGETING_TYPES), description: 'The targeting type.' },
      targeting_value: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_VALUE_LENGTH,
        description: 'A value of the targeting type.',
      },
      operator_type: {
        ...enumSchema(OPERATOR_TYPES),
        description: 'How the criterion applies. Defaults to EQ, unless the type does not allow EQ.',
      },
    },
  },
};

@Rule(['targeting_criteria'], ({ targeting_criteria }: Pick<EstimateAudience, 'targeting_criteria'>) =>
  primaryProblem(targeting_criteria),
)
@Example({
  targeting_criteria: [
    { targeting_type: 'BROAD_KEYWORD', targeting_value: 'coffee' },
    { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: '{custom_audience_id}', operator_type: 'NE' },
    { targeting_type: 'LOCATION', targeting_value: '96683cc9126741d1' },
  ],
})
export class EstimateAudience {
  /**
   * The targeting criteria that define the users to count. A user must match any criterion of the primary types and one
   * criterion of each secondary type, and must match no criterion with `NE`. At least one primary criterion is
   * required.
   */
  @Field(criteria, {}, CRITERIA) targeting_criteria: GivenEstimateCriterion[];
}
