import { Column, getMetadataArgsStorage } from 'typeorm';
import { MicroColumn } from '../../common/entity/columns.js';

/** A number of events. */
const Count = () => Column({ type: 'integer', default: 0 });

/** A number of conversions; null for none, so that the many rows without conversions take hardly more room. */
const Conversions = () => Column({ type: 'integer', nullable: true });

/** The counts that statistics sum. The tables of facts and of days have these columns. */
export abstract class DeliveryCounts {
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
  @Conversions() webSiteVisitsAfterView: number | null;
  @Conversions() webSiteVisitsAfterEngagement: number | null;
  @Conversions() webContentViewsAfterView: number | null;
  @Conversions() webContentViewsAfterEngagement: number | null;
  @Conversions() webAddToCartsAfterView: number | null;
  @Conversions() webAddToCartsAfterEngagement: number | null;
  @Conversions() webPurchasesAfterView: number | null;
  @Conversions() webPurchasesAfterEngagement: number | null;
  @Conversions() webSignUpsAfterView: number | null;
  @Conversions() webSignUpsAfterEngagement: number | null;
  /** The value of the purchases on websites, in micro-units of the currency. */
  @MicroColumn({ nullable: true }) webSalesAfterView: number | null;
  @MicroColumn({ nullable: true }) webSalesAfterEngagement: number | null;
  @Conversions() mobileInstallsAfterView: number | null;
  @Conversions() mobileInstallsAfterEngagement: number | null;
  @Conversions() mobileReEngagesAfterView: number | null;
  @Conversions() mobileReEngagesAfterEngagement: number | null;
  @Conversions() mobilePurchasesAfterView: number | null;
  @Conversions() mobilePurchasesAfterEngagement: number | null;
  @Conversions() mobileSignUpsAfterView: number | null;
  @Conversions() mobileSignUpsAfterEngagement: number | null;
  /** The value of the purchases in apps, in micro-units of the currency. */
  @MicroColumn({ nullable: true }) mobileSales: number | null;
}

/** The names of these columns. */
export const countColumns = (): string[] =>
  getMetadataArgsStorage()
    .filterColumns(DeliveryCounts)
    .map(({ propertyName }) => propertyName);

/** The columns of conversions: those that may be null. */
export type ConversionColumn = {
  [Name in keyof DeliveryCounts]: null extends DeliveryCounts[Name] ? Name : never;
}[keyof DeliveryCounts];
