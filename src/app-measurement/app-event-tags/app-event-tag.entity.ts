import { Column, Entity, Index } from 'typeorm';
import { defineResource, limitOfAccount } from '../../accounts/resource-definition.js';
import { IdColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, SpecialReference, TextColumn } from '../../common/entity/snapshots.js';
import { closedSet } from '../../common/values/closed-set.js';
import { APP_CONVERSION_TYPES, type AppConversionType } from '../../measurement/entities/app-conversion-types.js';
import { appEventTagNotFound, tooManyAppEventTags } from '../app-measurement.errors.js';

export const APP_EVENT_OS_TYPES = closedSet('AppEventOsType', ['IOS', 'ANDROID']);
export type AppEventOsType = (typeof APP_EVENT_OS_TYPES)[number];

export { APP_CONVERSION_TYPES, type AppConversionType };

/** An event in an app that a provider counts, and how long after an advertisement it is attributed. */
@Entity('app_event_tags')
@InSnapshots()
@Index('app_event_tags_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index('app_event_tags_of_app', ['appStoreIdentifier', 'osType', 'id'], { where: '"deletedAt" IS NULL' })
export class AppEventTag extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  /** The package name on Android, the App Store number on iOS. */
  @TextColumn() appStoreIdentifier: string;
  @WordColumn(APP_EVENT_OS_TYPES) osType: AppEventOsType;
  @WordColumn(APP_CONVERSION_TYPES) conversionType: AppConversionType;
  @TextColumn() @SpecialReference('an id of the provider') providerAppEventId: string;
  @TextColumn() providerAppEventName: string;
  @TextColumn({ nullable: true }) deepLinkScheme: string | null;
  /** In days. */
  @Column({ type: 'integer' }) postEngagementAttributionWindow: number;
  /** In days; 0 for none. */
  @Column({ type: 'integer' }) postViewAttributionWindow: number;
  @Column({ type: 'boolean' }) retargetingEnabled: boolean;
  /** The time of the last event that a measurement partner reported; null before the first. */
  @TimestampColumn({ nullable: true }) lastTrackedAt: Date | null;
}

/** A tag is created and deleted, never updated. */
export const APP_EVENT_TAGS = defineResource<AppEventTag>({
  entity: AppEventTag,
  name: 'APP_EVENT_TAG',
  label: 'App Event Tag',
  parameter: 'app_event_tag_id',
  notFound: appEventTagNotFound,
  limits: [limitOfAccount('app event tags', 1_000, tooManyAppEventTags)],
});
