import { Read } from '../../../common/http/fields.js';
import { CURRENCY, readCurrency } from '../../money.js';

export class ListBiddingRules {
  /** Only the rule of this currency, by its ISO 4217 code. */
  @Read(readCurrency, { optional: true }, CURRENCY)
  currency?: string;
}
