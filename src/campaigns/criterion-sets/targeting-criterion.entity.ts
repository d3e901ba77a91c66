import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CriterionLocationType } from '../../audiences/locations/locations.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import type { OperatorType, TargetingType } from '../targeting-values/targeting-types.js';

/** The types whose values are ids of audiences: what the index of `targeted` holds, and nothing else. */
export const AUDIENCE_TYPES = [
  'CUSTOM_AUDIENCE',
  'CUSTOM_AUDIENCE_EXPANDED',
] as const satisfies readonly TargetingType[];

/**
 * One thing that a line item is targeted by. It never changes: it is made and deleted. Indexes beside its key:
 * what a line item has, which every list names, with and without what is deleted, and which campaigns target an audience.
 */
@Entity('targeting_criteria')
@Index(['lineItemId', 'id'])
@Index('targeting_criteria_live', ['lineItemId', 'id'], { where: '"deletedAt" IS NULL' })
@Index('targeting_criteria_audience', ['targetingValue', 'accountId', 'campaignId'], {
  where: `"deletedAt" IS NULL AND "targetingType" IN ('CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED')`,
})
export class TargetingCriterion extends Resource {
  @IdColumn() accountId: string;
  @IdColumn() lineItemId: string;
  /** That of its line item, which never changes. */
  @IdColumn() campaignId: string;
  /** What people call the value. */
  @Column({ type: 'varchar' }) name: string;
  @Column({ type: 'varchar', collation: 'C' }) targetingType: TargetingType;
  /** In the one form of its type. */
  @Column({ type: 'varchar', collation: 'C' }) targetingValue: string;
  @Column({ type: 'varchar' }) operatorType: OperatorType;
  /** Of a LOCATION alone. */
  @Column({ type: 'varchar', nullable: true }) locationType: CriterionLocationType | null;
}

/** The constraint that is violated where criteria were judged beside others than those that are there. */
export const AS_JUDGED = 'targeting_sets_as_judged';

/**
 * How often the criteria of a line item were added to, or what others need was taken from them. Criteria are judged together:
 * whoever stores some says which revision they were judged on, and is refused where it is another by then. It comes into
 * being with the first of them.
 */
@Entity('targeting_sets')
@Check(AS_JUDGED, '"revision" > 0')
export class TargetingSet {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) lineItemId: string;
  @Column({ type: 'integer' }) revision: number;
}
