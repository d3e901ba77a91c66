import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, NameIndex, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, SpecialReference, TextColumn } from '../../common/entity/snapshots.js';
import { nameInUse } from '../audiences.errors.js';
import type { Segment } from './segments.js';

export const AUDIENCE_TYPES = closedSet('AudienceType', ['CRM', 'FLEXIBLE', 'MOBILE_AUDIENCE', 'WEB']);
export type AudienceType = (typeof AUDIENCE_TYPES)[number];

export const REASONS_NOT_TARGETABLE = closedSet('ReasonNotTargetable', ['PROCESSING', 'TOO_SMALL']);
export type ReasonNotTargetable = (typeof REASONS_NOT_TARGETABLE)[number];

/** The index that makes names unique in an account: case-sensitive, without deleted audiences. */
const ONE_NAME = 'custom_audiences_one_name';

/** People that campaigns can target or exclude. */
@Entity('custom_audiences')
@InSnapshots()
@Index('custom_audiences_id', ['id'])
@Index('custom_audiences_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@NameIndex('custom_audiences_name', ['accountId', 'name', 'id'])
@Index(ONE_NAME, ['accountId', 'name'], { unique: true, where: '"deletedAt" IS NULL' })
export class CustomAudience extends Resource {
  /** The account that owns the audience. */
  @IdColumn({ primary: true }) accountId: string;
  @TextColumn() name: string;
  @TextColumn({ nullable: true }) description: string | null;
  @WordColumn(AUDIENCE_TYPES) audienceType: AudienceType;
  @Column({ type: 'varchar' }) @SpecialReference('it is only shown') partnerSource: string;
  /** Empty if the audience can be targeted. */
  @WordColumn(REASONS_NOT_TARGETABLE, { array: true }) reasonsNotTargetable: ReasonNotTargetable[];
  /** The number of people; null while it is unknown or too small to report. */
  @Column({ type: 'integer', nullable: true }) audienceSize: number | null;
  /** The tree of a flexible audience in the form of `normalisedSegments`; null for others. */
  @Column({ type: 'json', nullable: true }) segments: Segment | null;
}

/**
 * Deleting an audience revokes its permissions and queues the removal of its people. Campaigns that target it continue.
 */
export const CUSTOM_AUDIENCES = defineResource<CustomAudience>({
  entity: CustomAudience,
  name: 'CUSTOM_AUDIENCE',
  label: 'Custom Audience',
  parameter: 'custom_audience_id',
  uniques: [
    {
      index: ONE_NAME,
      columns: ['name'],
      refusal: ({ name }) => nameInUse(name),
    },
  ],
  events: {
    updates: {
      status_change: {
        about: 'campaigns can now target it, or no longer can',
        reports: ({ targetable }) => targetable !== undefined,
      },
    },
  },
});
