import { Column, Entity, Index } from 'typeorm';
import { IdColumn, MicroColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { InSnapshots, RefersTo } from '../../common/entity/snapshots.js';
import { closedSet } from '../../common/values/closed-set.js';
import { APP_CONVERSION_TYPES, type AppConversionType } from './app-conversion-types.js';
import { WEB_EVENT_TYPES, type WebEventType } from './web-event-tag.entity.js';

/** The types of web event tags, and those of events in apps, which begin with `APP_`. */
export type FactType = WebEventType | `APP_${AppConversionType}`;
const FACT_TYPES: readonly FactType[] = [
  ...WEB_EVENT_TYPES,
  ...APP_CONVERSION_TYPES.map((type) => `APP_${type}` as const),
];

/** Where something is shown. */
export const FACT_PLACEMENTS = closedSet('DeliveryPlacement', ['ALL_ON_PLATFORM', 'PUBLISHER_NETWORK']);
export type FactPlacement = (typeof FACT_PLACEMENTS)[number];

/** The kinds of things that line items show. */
export const PROMOTED_KINDS = ['PROMOTED_POST', 'PROMOTED_ACCOUNT', 'MEDIA_CREATIVE'] as const;
export type PromotedKind = (typeof PROMOTED_KINDS)[number];

const PROMOTED_TABLES: Record<PromotedKind, string> = {
  PROMOTED_POST: 'promoted_posts',
  PROMOTED_ACCOUNT: 'promoted_accounts',
  MEDIA_CREATIVE: 'media_creatives',
};

/** Beside a column: the thing that a line item shows, of the `promotedKind` of the row. */
export const RefersToPromoted = () =>
  RefersTo(Object.values(PROMOTED_TABLES), {
    tableFor: ({ promotedKind }) => PROMOTED_TABLES[promotedKind as PromotedKind],
  });

/**
 * The conversions of a web event tag, or of an app event tag, that are attributed to what a line item showed in an hour: the hour of the click or
 * the view, not of the conversion. Sums never change but by more conversions, and no other sums are stored.
 */
@Entity('conversion_facts')
@InSnapshots()
@Index('conversion_facts_recorded', ['accountId', 'recordedAt'])
export class ConversionFact {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) @RefersTo('line_items') lineItemId: string;
  /** The beginning of the hour, a whole hour in UTC. */
  @TimestampColumn({ primary: true }) hour: Date;
  @WordColumn(FACT_PLACEMENTS, { primary: true }) placement: FactPlacement;
  /** The promoted post, the promoted account or the media creative. */
  @IdColumn({ primary: true }) @RefersToPromoted() promotedId: string;
  @IdColumn({ primary: true }) @RefersTo('delivery_audiences', { optional: true }) audienceId: string;
  @IdColumn({ primary: true }) @RefersTo(['web_event_tags', 'app_event_tags']) tagId: string;
  /** The type of the tag when the conversions were attributed. */
  @WordColumn(FACT_TYPES, { primary: true }) type: FactType;
  /** Whether they are attributed to clicks, or to views. */
  @Column({ type: 'boolean', primary: true }) isClick: boolean;
  @WordColumn(PROMOTED_KINDS) promotedKind: PromotedKind;
  @Column({ type: 'integer' }) conversions: number;
  /** The number of items, as far as conversions name one. */
  @Column({ type: 'bigint' }) items: number;
  /** The value in micro-units of the currency of the line item. */
  @MicroColumn() amount: number;
  /** When the last of these conversions arrived, by the clock of the account. */
  @TimestampColumn() recordedAt: Date;
}

/** Greater sums of items and of values are stored and shown as this: one more conversion is never an error. */
export const MAX_ITEMS = 9_000_000_000;
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;
