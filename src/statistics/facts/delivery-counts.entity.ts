import { Column } from 'typeorm';
import { MicroColumn } from '../../common/entity/columns.js';

/** A number of events. */
const Count = () => Column({ type: 'integer', default: 0 });

/** What statistics sum. The tables of facts and of days have these columns. */
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
}
