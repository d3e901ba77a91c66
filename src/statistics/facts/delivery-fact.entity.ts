import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn, MicroColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';

/** Where delivery is counted. */
export const FACT_PLACEMENTS = closedSet('DeliveryPlacement', ['ALL_ON_PLATFORM', 'PUBLISHER_NETWORK']);
export type FactPlacement = (typeof FACT_PLACEMENTS)[number];

/** The kinds of things that line items show. */
export const PROMOTED_KINDS = ['PROMOTED_POST', 'PROMOTED_ACCOUNT', 'MEDIA_CREATIVE'] as const;
export type PromotedKind = (typeof PROMOTED_KINDS)[number];

/** A number of events in an hour. */
const Count = () => Column({ type: 'integer', default: 0 });

/**
 * What was counted in an hour for one thing that a line item shows. Every figure of statistics is a sum of these rows. The
 * table is partitioned by `hour`.
 */
@Entity('delivery_facts')
@Index('delivery_facts_by_hour', ['accountId', 'hour'])
export class DeliveryFact {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) lineItemId: string;
  /** The beginning of the hour, a whole hour in UTC. */
  @TimestampColumn({ primary: true }) hour: Date;
  @WordColumn(FACT_PLACEMENTS, { primary: true }) placement: FactPlacement;
  /** The promoted post, the promoted account or the media creative. */
  @IdColumn({ primary: true }) promotedId: string;
  @WordColumn(PROMOTED_KINDS) promotedKind: PromotedKind;
  @IdColumn() campaignId: string;
  @IdColumn() fundingInstrumentId: string;
  /** The post that was shown; null if none was. */
  @IdColumn({ nullable: true }) postId: string | null;
  @Count() impressions: number;
  @Count() engagements: number;
  @Count() retweets: number;
  @Count() replies: number;
  @Count() likes: number;
  @Count() follows: number;
  @Count() cardEngagements: number;
  @Count() clicks: number;
  @Count() appClicks: number;
  @Count() urlClicks: number;
  @Count() qualifiedImpressions: number;
  @Count() carouselSwipes: number;
  @Count() billedEngagements: number;
  /** The charge, in micro-units of the currency. */
  @MicroColumn({ default: 0 }) billedChargeLocalMicro: number;
  @Count() videoTotalViews: number;
  @Count() videoViews25: number;
  @Count() videoViews50: number;
  @Count() videoViews75: number;
  @Count() videoViews100: number;
  @Count() videoCtaClicks: number;
  @Count() videoContentStarts: number;
  @Count() video3s100pctViews: number;
  @Count() video6sViews: number;
  @Count() video15sViews: number;
  @Count() mediaViews: number;
  @Count() mediaEngagements: number;
}
