import type { BidStrategy, Goal, Objective, PayBy, Placement } from '../../campaigns/entities/line-item.tables.js';
import type { PromotedThing } from '../../campaigns/spending/promoted-things.js';

export type { PromotedThing };

/** A line item as the simulation sees it. Amounts are in micro-units. */
export interface SimulatedLineItem {
  id: string;
  objective: Objective;
  goal: Goal;
  payBy: PayBy;
  bidStrategy: BidStrategy;
  bidAmountLocalMicro: number | null;
  placements: readonly Placement[];
  /** The smallest amount of its currency. */
  denomination: number;
  /** Its target spend on a day; null without a budget for it. */
  dailyLocalMicro: number | null;
  /** False if it spends its budget as fast as it can. */
  standardDelivery: boolean;
  /** Impressions per user and day; null without a cap. */
  dailyCap: number | null;
  /** The number of users that it targets. */
  audience: number;
  things: readonly PromotedThing[];
  /** True if the account counts the conversions of its app. */
  isAppTracked: boolean;
  /** True if the account reports its conversions on websites, so that none are invented. */
  reportsOwn?: boolean;
  /** True if views last 3 seconds with 100 % in view, or begin with a click. */
  hasLongerViews?: boolean;
}
