import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { CRITERION_LOCATION_TYPES, type CriterionLocationType } from '../../audiences/locations/locations.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, RefersTo, SpecialReference, TextColumn } from '../../common/entity/snapshots.js';
import {
  OPERATOR_TYPES,
  TARGETING_TYPES,
  type OperatorType,
  type TargetingType,
} from '../targeting-values/targeting-types.js';

/** The types whose values are audience ids. The index on `targeted` contains only these. */
export const AUDIENCE_TARGETING_TYPES = [
  'CUSTOM_AUDIENCE',
  'CUSTOM_AUDIENCE_EXPANDED',
] as const satisfies readonly TargetingType[];

/**
 * One targeting criterion of a line item. It is created and deleted, never updated. Its indexes besides the key serve
 * lists by line item, with and without deleted criteria, and the campaigns that target an audience.
 */
@Entity('targeting_criteria')
@InSnapshots()
@Index(['lineItemId', 'id'])
@Index('targeting_criteria_live', ['lineItemId', 'id'], { where: '"deletedAt" IS NULL' })
@Index('targeting_criteria_audience', ['targetingValue', 'accountId', 'campaignId'], {
  where: `"deletedAt" IS NULL AND "targetingType" IN ('CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED')`,
})
export class TargetingCriterion extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('line_items') lineItemId: string;
  /** The campaign of its line item. It never changes. */
  @IdColumn() @RefersTo('campaigns') campaignId: string;
  /** The display name of the value. */
  @TextColumn() name: string;
  @WordColumn(TARGETING_TYPES, { collation: 'C' }) targetingType: TargetingType;
  /** In the canonical form of its type. */
  @TextColumn({ collation: 'C' }) @SpecialReference('an import compares it, by its type') targetingValue: string;
  @WordColumn(OPERATOR_TYPES) operatorType: OperatorType;
  /** Only for LOCATION. */
  @WordColumn(CRITERION_LOCATION_TYPES, { nullable: true }) locationType: CriterionLocationType | null;
}

/** The constraint that is violated if criteria were validated against an outdated set. */
export const AS_JUDGED = 'targeting_sets_as_judged';

/**
 * The revision of a line item's criteria. It changes when criteria are added or a criterion that others need is
 * deleted. Criteria are validated as a set: a write states the revision it was validated against and is rejected if the
 * revision is different by then. The row is created with the first criterion.
 */
@Entity('targeting_sets')
@InSnapshots({ restored: { revision: 'next' } })
@Check(AS_JUDGED, '"revision" > 0')
export class TargetingSet {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) accountId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) @RefersTo('line_items') lineItemId: string;
  @Column({ type: 'integer' }) revision: number;
}

/** `lineItemsAreAlive` checks the line items of all criteria of a request at once. */
export const TARGETING_CRITERIA = defineResource<TargetingCriterion>({
  entity: TargetingCriterion,
  name: 'TARGETING_CRITERIA',
  label: 'Targeting Criterion',
  parameter: 'targeting_criterion_id',
});
