import { ApiProperty } from '@nestjs/swagger';
import { CRITERION_LOCATION_TYPES, type CriterionLocationType } from '../../audiences/locations/locations.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, presentResource, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import type { TargetingCriterion } from './targeting-criterion.entity.js';
import {
  OPERATOR_TYPES,
  TARGETING_TYPES,
  type OperatorType,
  type TargetingType,
} from '../targeting-values/targeting-types.js';
import { localizedName } from '../targeting-values/targeting-values.rules.js';

/** What a line item is targeted by. */
export class TargetingCriterionView extends ResourceView {
  /** The line item that it belongs to. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** What people call the value: a keyword itself, a place as it is displayed. */
  @ApiProperty() name: string;
  /** Of a LOCATION alone: the kind of place. */
  @ApiProperty({ ...enumSchema(CRITERION_LOCATION_TYPES), required: false })
  @Unescaped()
  location_type?: CriterionLocationType;
  /** How it holds: is, is not, is at least, is below. */
  @ApiProperty(enumSchema(OPERATOR_TYPES)) @Unescaped() operator_type: OperatorType;
  /** What is targeted, by its value in the look-up of its type, its id or its text. */
  @ApiProperty() targeting_value: string;
  /** What kind of thing is targeted. */
  @ApiProperty(enumSchema(TARGETING_TYPES)) @Unescaped() targeting_type: TargetingType;
  /** What it is called in the language that was asked for; absent where that is not known. */
  @ApiProperty({ required: false }) localized_name?: string;
}

/** `lang`: the language of ISO 639-1 that was asked for. */
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
