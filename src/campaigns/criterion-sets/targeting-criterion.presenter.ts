import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import { CRITERION_LOCATION_TYPES, type CriterionLocationType } from '../../audiences/locations/locations.js';
import type { Row } from '../../common/db/query/rows.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { ID, ResourceView, Unescaped, presentResource } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import {
  OPERATOR_TYPES,
  TARGETING_TYPES,
  type OperatorType,
  type TargetingType,
} from '../targeting-values/targeting-types.js';
import { localizedName } from '../targeting-values/targeting-values.rules.js';
import { TARGETING_CRITERIA, TargetingCriterion } from './targeting-criterion.entity.js';

/** A targeting criterion of a line item. */
@Noun('targeting criterion', 'targeting criteria')
export class TargetingCriterionView extends ResourceView {
  /** The line item of the criterion. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** The display name of the value: the keyword itself or the display name of a location. */
  @ApiProperty() name: string;
  /** The kind of location. Only for LOCATION. */
  @ApiProperty({ ...enumSchema(CRITERION_LOCATION_TYPES), required: false })
  @Unescaped()
  location_type?: CriterionLocationType;
  /** How the criterion applies: is, is not, is at least, is below. */
  @ApiProperty(enumSchema(OPERATOR_TYPES)) @Unescaped() operator_type: OperatorType;
  /** The targeted value: a value from the look-up of its type, an id or a text. */
  @ApiProperty() targeting_value: string;
  /** The targeting type. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) @Unescaped() targeting_type: TargetingType;
  /** The name in the requested language. Absent if it is not known. */
  @ApiProperty({ required: false }) localized_name?: string;
}

/** `lang`: the requested language, as an ISO 639-1 code. */
export function presentCriterion(criterion: Row<TargetingCriterion>, lang?: string): TargetingCriterionView {
  const { targetingType, targetingValue, locationType } = criterion;
  const localized = lang === undefined ? undefined : localizedName(targetingType, targetingValue, lang);
  const view: Omit<TargetingCriterionView, keyof ResourceView> = {
    line_item_id: criterion.lineItemId,
    name: criterion.name,
    operator_type: criterion.operatorType,
    targeting_value: targetingValue,
    targeting_type: targetingType,
  };
  if (locationType !== null) view.location_type = locationType;
  if (localized !== undefined) view.localized_name = localized;
  return presentResource(criterion, view);
}

recordAs(TARGETING_CRITERIA, TargetingCriterionView, (criterion) => presentCriterion(criterion));
