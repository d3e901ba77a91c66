import { DataSource } from 'typeorm';
import { COUNTRIES, countryAt, locationOf } from '../../../src/audiences/locations/countries.js';
import { LocationIds } from '../../../src/audiences/locations/location-ids.service.js';
import { locationAt, LOCATIONS } from '../../../src/audiences/locations/locations.js';
import { openInMemoryDatabase, type Database } from '../../../src/common/db/database.js';
import { migrate } from '../../../src/common/db/migrate.js';
import { run } from '../../../src/common/db/query/statement.js';
import { ENTITIES } from '../../../src/entities.js';
import { LocationIds1797030000000 } from '../../../src/migrations/1797030000000-LocationIds.js';
import { MIGRATIONS } from '../../../src/migrations/index.js';

const GERMANY = { derived: '6900329d162cb17c', atX: 'fdcd221ac44fa326' };
const FRANCE = { derived: locationOf('FR'), first: 'f3bfc7dcc928977f', second: '991b4344edc2d520' };
const ARGENTINA = locationOf('AR');

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

describe('a store', () => {
  let store: Database | undefined;
  afterEach(() => store?.close());

  /** A store of an earlier release, with these statements, after an upgrade. */
  async function upgraded(...statements: string[]): Promise<Database> {
    const earlier = MIGRATIONS.slice(0, MIGRATIONS.indexOf(LocationIds1797030000000));
    const before = await openInMemoryDatabase({ entities: ENTITIES, migrations: earlier });
    await migrate(before);
    for (const text of statements) await run(before.dataSource.manager, { text, values: [] });
    const template = await before.dump!();
    await before.close();
    store = await openInMemoryDatabase({ entities: ENTITIES, migrations: MIGRATIONS }, template);
    await migrate(store);
    return store;
  }

  const idsOf = async ({ dataSource }: { dataSource: DataSource }) => {
    const ids = new LocationIds(dataSource);
    await ids.onModuleInit();
    return ids;
  };
  const returned = (ids: LocationIds, countries: string[]) => countries.map((each) => ids.canonical(each));

  it('that is new returns the ids of X, the first one where there are two', async () => {
    const ids = await idsOf(await upgraded());
    const { derived, first, second } = FRANCE;
    expect(returned(ids, [derived, first, second])).toEqual([first, first, first]);
    expect(returned(ids, [GERMANY.derived, GERMANY.atX.toUpperCase()])).toEqual([GERMANY.atX, GERMANY.atX]);
    expect(returned(ids, [ARGENTINA, '96683cc9126741d1', 'nowhere', 'Nowhere'])).toEqual([
      ARGENTINA,
      '96683cc9126741d1',
      'nowhere',
      'Nowhere',
    ]);
    expect(ids.withId(locationAt(FRANCE.second)!)).toMatchObject({ name: 'France', value: first });
  }, 120_000);

  it('that was in use keeps its ids', async () => {
    const ids = await idsOf(await upgraded(`INSERT INTO "users" ("id", "username", "name") VALUES ('1', 'a', 'A')`));
    const { derived, first, second } = FRANCE;
    expect(returned(ids, [derived, first, second])).toEqual([derived, derived, derived]);
    expect(returned(ids, [GERMANY.atX, ARGENTINA])).toEqual([GERMANY.derived, ARGENTINA]);
    const france = locationAt(first)!;
    expect(ids.withId(france)).toBe(france);
  }, 120_000);
});
