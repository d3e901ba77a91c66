import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A country as a location that can be targeted. */
export interface Country {
  /** ISO 3166-1 alpha-2. */
  code: string;
  name: string;
  /** Its targeting value: 16 hexadecimal digits that its code makes, and so the same in every installation, for good. */
  location: string;
}

/** Three levels up from here lies the tree's root in src, four in dist. */
const FILES = ['../../../assets/countries.tsv', '../../../../assets/countries.tsv'];

export const locationOf = (code: string): string =>
  createHash('sha256').update(`country ${code}`).digest('hex').slice(0, 16);

/** All countries of ISO 3166-1, in the order of their codes. */
export const COUNTRIES: readonly Country[] = readCountries();

const byLocation = new Map(COUNTRIES.map((country) => [country.location, country]));

/** The country that has this targeting value. */
export const countryAt = (location: string): Country | undefined => byLocation.get(location);

function readCountries(): Country[] {
  const file = FILES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync);
  if (file === undefined) throw new Error('assets/countries.tsv is missing');
  const lines = readFileSync(file, 'utf8').trim().split('\n').slice(1);
  return lines.map((line) => {
    const [code, name] = line.trim().split('\t');
    return { code, name, location: locationOf(code) };
  });
}
