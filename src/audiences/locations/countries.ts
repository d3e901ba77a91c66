import { hash } from 'node:crypto';
import { shippedTable } from '../../common/list/shipped-list.js';

/** Values that clients knew before this service defined its own. */
const KNOWN = new Map([
  ['country US', '96683cc9126741d1'],
  ['metro San Francisco-Oakland-San Jose CA', '5122804691e5fecc'],
  ['city 5368361', '3b77caf94bfc81fe'],
]);

/**
 * The targeting value of a place: 16 hexadecimal digits derived from its kind and code, so it is permanent and equal
 * everywhere.
 */
export const locationValue = (place: string): string => KNOWN.get(place) ?? hash('sha256', place).slice(0, 16);

/** A targetable country. */
export interface Country {
  /** ISO 3166-1 alpha-2. */
  code: string;
  /** ISO 3166-1 alpha-3. */
  alpha3: string;
  name: string;
  /** Rounded, and a few years old: it only ranks suggestions. */
  population: number;
  /** Its derived targeting value: 16 hexadecimal digits, permanent and equal in every installation. */
  location: string;
  /** Its targeting values at X, the preferred one first. None if they are not known, or equal to the derived one. */
  locationsAtX: readonly string[];
}

export const locationOf = (code: string): string => locationValue(`country ${code}`);

/** All countries of ISO 3166-1, in code order. */
export const COUNTRIES: readonly Country[] = shippedTable('countries.tsv').map(
  ([code, name, alpha3, population, atX = '']) => {
    const location = locationOf(code);
    const locationsAtX = atX.split(',').filter((each) => each !== '' && each !== location);
    return { code, alpha3, name, population: Number(population), location, locationsAtX };
  },
);

const byLocation = new Map(
  COUNTRIES.flatMap((country) => [country.location, ...country.locationsAtX].map((each) => [each, country])),
);

/** The country with this targeting value. */
export const countryAt = (location: string): Country | undefined => byLocation.get(location);
