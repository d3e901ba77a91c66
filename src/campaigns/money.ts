import { WordColumn } from '../common/entity/columns.js';
import { Field, capitalsHint, word, type FieldRules } from '../common/http/params/fields.js';

/** Currencies whose smallest amount is not a hundredth. */
const WITHOUT_DECIMALS = ['VND', 'KRW', 'CLP', 'JPY'];
const WITH_THREE_DECIMALS = ['KWD', 'IQD', 'BHD', 'TND'];

/** The ISO 4217 currencies that the runtime knows. */
export const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The code of a currency. */
export const CurrencyColumn = () =>
  WordColumn<string>([...CURRENCIES], { what: 'a currency of ISO 4217, such as USD' });

/** The smallest amount of a currency, in micro-units. */
export function minimumDenomination(currency: string): number {
  if (WITHOUT_DECIMALS.includes(currency)) return 1_000_000;
  return WITH_THREE_DECIMALS.includes(currency) ? 1_000 : 10_000;
}

/** An amount in micro-units as people write it, such as 1,234.50. */
export function amountText(micro: number, currency: string): string {
  const digits = 6 - Math.log10(minimumDenomination(currency));
  return (micro / 1_000_000).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The schema of a currency in the OpenAPI document. */
export const CURRENCY = { type: String, pattern: '^[A-Z]{3}$', example: 'USD' } as const;

const currency = word('a currency of ISO 4217', (code) => CURRENCIES.has(code), { hint: capitalsHint(CURRENCIES) });

/** A currency, as an ISO 4217 code. */
export const Currency = (rules: FieldRules = {}) => Field(currency, rules, CURRENCY);
