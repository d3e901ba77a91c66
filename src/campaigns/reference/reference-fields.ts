import { COUNTRIES } from '../../audiences/locations/countries.js';
import { countryCodeHint } from '../../audiences/locations/locations.js';
import { Field, listSchema, list, text, int, word, type FieldRules } from '../../common/http/params/fields.js';

const WORD = { pattern: /^[0-9A-Za-z-]+$/, what: 'letters, digits and hyphens' };
/** Maximum number of values in a list. */
const MAX_VALUES = 1_000;

export const referenceId = text({ min: 1, max: 40, matching: WORD });
export const referenceIds = list(referenceId, { max: MAX_VALUES });
export const referenceName = text({ min: 1, max: 255, trimmed: true });
export const countField = int(0, 2 ** 31 - 1);

const CURRENCY = { pattern: /^[A-Z]{3}$/, what: 'a currency code of ISO 4217' };
export const currencyCode = text({ matching: CURRENCY });

const codes: ReadonlySet<string> = new Set(COUNTRIES.map(({ code }) => code));

/** A country, as an ISO 3166-1 alpha-2 code. */
const country = word('a country code of ISO 3166-1 alpha-2, such as US', (code) => codes.has(code), {
  hint: countryCodeHint,
});

/** At most 200 countries. */
export const CountryCodes = ({ shown, ...rules }: FieldRules & { shown?: string } = {}) =>
  Field(
    list(country),
    rules,
    listSchema({ type: 'string', pattern: '^[A-Z]{2}$', ...(shown && { example: shown }) }, { min: 1, max: 200 }),
  );
