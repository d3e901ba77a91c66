import { COUNTRIES } from '../../audiences/locations/countries.js';
import { expected } from '../../common/http/invalid-value.js';
import { readSeveral, readText, readWhole, type Reader } from '../../common/http/readers.js';

const WORD = { pattern: /^[0-9A-Za-z-]+$/, what: 'letters, digits and hyphens' };
/** No list is longer than this. */
const MAX_VALUES = 1_000;

export const readId = readText({ min: 1, max: 40, matching: WORD });
/** Empty where there is none. */
export const readIdOrNone: Reader<string | null> = (given, name) => (given === '' ? null : readId(given, name));
export const readIds = readSeveral(readId, { max: MAX_VALUES });
export const readName = readText({ min: 1, max: 255, trimmed: true });
export const readCount = readWhole({ min: 0, max: 2 ** 31 - 1 });

const CURRENCY = { pattern: /^[A-Z]{3}$/, what: 'a currency code of ISO 4217' };
export const readCurrencyCode = readText({ matching: CURRENCY });

const codes: ReadonlySet<string> = new Set(COUNTRIES.map(({ code }) => code));

/** A country by its code of ISO 3166-1 alpha-2. */
export const readCountry: Reader<string> = (given, name) =>
  typeof given === 'string' && codes.has(given)
    ? given
    : expected('a country code of ISO 3166-1 alpha-2, such as US', given, name).hinted(() =>
        typeof given === 'string' && codes.has(given.toUpperCase())
          ? `Did you mean ${given.toUpperCase()}?`
          : undefined,
      );

/** At most 200 countries. */
export const readCountries = readSeveral(readCountry);
