import { COUNTRIES, countryAt, locationOf } from '../../../src/audiences/locations/countries.js';
import { locationAt, LOCATIONS } from '../../../src/audiences/locations/locations.js';

const GERMANY = { derived: '6900329d162cb17c', atX: 'fdcd221ac44fa326' };
const FRANCE = { derived: locationOf('FR'), first: 'f3bfc7dcc928977f', second: '991b4344edc2d520' };

it('the ids of X, both where there are two, and the derived ones mean the same places', () => {
  for (const id of [GERMANY.derived, GERMANY.atX])
    expect([countryAt(id)?.code, locationAt(id)?.name]).toEqual(['DE', 'Germany']);
  for (const id of Object.values(FRANCE)) expect([countryAt(id)?.code, locationAt(id)?.name]).toEqual(['FR', 'France']);
  expect(COUNTRIES.filter(({ locationsAtX }) => locationsAtX.length > 0)).toHaveLength(54);
  for (const { code, location, locationsAtX } of COUNTRIES)
    for (const id of [location, ...locationsAtX]) {
      expect(id).toMatch(/^[0-9a-f]{16}$/);
      expect(locationAt(id)).toMatchObject({ type: 'COUNTRIES', countryCode: code });
    }
  expect(locationAt('96683cc9126741d1')?.otherValues).toEqual([]);
});

it('each metro has the code and the name of its market area', () => {
  const areas = LOCATIONS.all().flatMap(({ name, marketArea }) => (marketArea ? [{ place: name, ...marketArea }] : []));
  expect(areas).toHaveLength(210);
  expect(new Set(areas.map(({ code }) => code)).size).toBe(210);
  for (const { code } of areas) expect(code).toMatch(/^[5-8]\d\d$/);
  expect(areas).toContainEqual({ place: 'Seattle-Tacoma WA, US', code: '819', name: 'Seattle-Tacoma' });
  expect(areas).toContainEqual({ place: 'Portland OR, US', code: '820', name: 'Portland OR' });
});
