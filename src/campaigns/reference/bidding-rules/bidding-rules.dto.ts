import { Currency } from '../../money.js';

export class ListBiddingRules {
  /** Filters by currency, as an ISO 4217 code. */
  @Currency({ optional: true }) currency?: string;
}
