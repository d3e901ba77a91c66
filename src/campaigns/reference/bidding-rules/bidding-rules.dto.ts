import { Currency } from '../../money.js';

export class ListBiddingRules {
  /** Only the rule of this currency, by its ISO 4217 code. */
  @Currency({ optional: true }) currency?: string;
}
