import { Column, Entity, Index } from 'typeorm';
import { defineResource, limitOfAccount } from '../../accounts/resource-definition.js';
import { IdColumn, NameIndex, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, TextColumn } from '../../common/entity/snapshots.js';
import { closedSet } from '../../common/values/closed-set.js';
import { tooManyWebEventTags, webEventTagNotFound } from '../measurement.errors.js';

export const WEB_EVENT_TYPES = closedSet('WebEventType', [
  'ADDED_PAYMENT_INFO',
  'ADD_TO_CART',
  'ADD_TO_WISHLIST',
  'CHECKOUT_INITIATED',
  'CONTENT_VIEW',
  'CUSTOM',
  'DOWNLOAD',
  'PRODUCT_CUSTOMIZATION',
  'PURCHASE',
  'SEARCH',
  'SIGN_UP',
  'SITE_VISIT',
  'START_TRIAL',
  'SUBSCRIBE',
]);
export type WebEventType = (typeof WEB_EVENT_TYPES)[number];

/** An event of an account's website that conversions report, and how long after an advertisement it is attributed. */
@Entity('web_event_tags')
@InSnapshots()
@Index('web_event_tags_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@NameIndex('web_event_tags_name', ['accountId', 'name', 'id'])
export class WebEventTag extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @TextColumn() name: string;
  @WordColumn(WEB_EVENT_TYPES) type: WebEventType;
  /** Days after a click in which a conversion is attributed to it. */
  @Column({ type: 'integer' }) clickWindow: number;
  /** Days after a view; 0 for none. */
  @Column({ type: 'integer' }) viewThroughWindow: number;
  @Column({ type: 'boolean' }) retargetingEnabled: boolean;
  /** The time of the last conversion of the tag; null before the first. */
  @TimestampColumn({ nullable: true }) lastTrackedAt: Date | null;
  /** The time of the first one: from then on nothing invents conversions on the website of the account. */
  @TimestampColumn({ nullable: true }) firstTrackedAt: Date | null;
}

/** Deleting a tag leaves the line items that name it unchanged. */
export const WEB_EVENT_TAGS = defineResource<WebEventTag>({
  entity: WebEventTag,
  name: 'WEB_EVENT_TAG',
  label: 'Web Event Tag',
  parameter: 'web_event_tag_id',
  notFound: webEventTagNotFound,
  limits: [limitOfAccount('web event tags', 1_000, tooManyWebEventTags)],
});
