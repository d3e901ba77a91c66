import { locationAt, LOCATIONS, type Location, type LocationType } from '../../audiences/locations/locations.js';
import type { TargetingType } from '../../campaigns/targeting-values/targeting-types.js';
import { fnv1a } from '../../common/values/fnv1a.js';
import type { AudienceCriterion } from '../facts/delivery-audience.entity.js';
import { cityWeight, COUNTRY_WEIGHTS, metroWeight, STATE_WEIGHTS } from './segment-tables.js';

/** The criteria of an audience, by type: which values include users, and which exclude users. */
export class AudienceCriteria {
  private readonly included = new Map<string, Set<string>>();
  private readonly excluded = new Map<string, Set<string>>();

  constructor(criteria: readonly AudienceCriterion[]) {
    for (const [type, value, operator] of criteria) {
      const sides = operator === 'NE' ? this.excluded : this.included;
      const known = sides.get(type);
      if (known) known.add(value);
      else sides.set(type, new Set([value]));
    }
  }

  /** The values of these types that include users, each once. */
  including(...types: readonly TargetingType[]): Set<string> {
    return new Set(types.flatMap((type) => [...(this.included.get(type) ?? [])]));
  }

  /** The values of a type that exclude users. */
  excluding(type: TargetingType): ReadonlySet<string> {
    return this.excluded.get(type) ?? new Set();
  }

  /** True if users with a value of a type are in the audience, as far as criteria of the type tell. */
  allows(type: TargetingType, value: string): boolean {
    const included = this.included.get(type);
    return (included === undefined || included.has(value)) && !this.excluding(type).has(value);
  }
}

/** Users in a place. */
export interface PlaceUsers {
  place: Location;
  users: number;
}

/** The users of a country for each unit of its weight. */
const USERS_OF_WEIGHT = 1_000;

/** The places of a country by type, in the order of the list, and the users in each if nobody is left out. */
interface CountryPlaces {
  byType: ReadonlyMap<LocationType, readonly Location[]>;
  users: ReadonlyMap<string, number>;
}

let countries: ReadonlyMap<string, CountryPlaces> | undefined;

/** The places of the countries, by code. */
function allPlaces(): ReadonlyMap<string, CountryPlaces> {
  if (countries) return countries;
  const grouped = new Map<string, Map<LocationType, Location[]>>();
  for (const place of LOCATIONS.all()) {
    const byType = grouped.get(place.countryCode) ?? new Map<LocationType, Location[]>();
    grouped.set(place.countryCode, byType);
    const ofType = byType.get(place.type);
    if (ofType) ofType.push(place);
    else byType.set(place.type, [place]);
  }
  countries = new Map([...grouped].map(([code, byType]) => [code, { byType, users: usersOf(code, byType) }]));
  return countries;
}

function usersOf(code: string, byType: CountryPlaces['byType']): Map<string, number> {
  // no short table has the regions of the whole world
  const roughWeights = (byType.get('REGIONS') ?? []).map(({ value }) => 1 + (fnv1a(value) % 5));
  const total = roughWeights.reduce((sum, each) => sum + each, 0);
  const weights: Record<LocationType, (place: Location, i: number) => number> = {
    COUNTRIES: () => USERS_OF_WEIGHT,
    REGIONS: ({ regionCode }, i) =>
      code === 'US' ? (STATE_WEIGHTS[regionCode!.slice(3)] ?? 1) : (roughWeights[i] * USERS_OF_WEIGHT) / total,
    METROS: (_, i) => metroWeight(i + 1),
    CITIES: (_, i) => cityWeight(i + 1),
    POSTAL_CODES: () => 1,
  };
  const weight = COUNTRY_WEIGHTS[code] ?? 1;
  return new Map(
    [...byType].flatMap(([type, places]) =>
      places.map((place, i): [string, number] => [place.value, weight * weights[type](place, i)]),
    ),
  );
}

const usersIn = ({ countryCode, value }: Location): number => allPlaces().get(countryCode)!.users.get(value)!;

/** A set of places that knows what lies in it. */
class Area {
  private readonly values: ReadonlySet<string>;
  private readonly countries = new Set<string>();
  private readonly regions = new Set<string>();

  constructor(readonly places: readonly Location[]) {
    this.values = new Set(places.map(({ value }) => value));
    for (const { type, countryCode, regionCode } of places)
      if (type === 'COUNTRIES') this.countries.add(countryCode);
      else if (type === 'REGIONS') this.regions.add(regionCode!);
  }

  has({ value }: Location): boolean {
    return this.values.has(value);
  }

  /** True if a place lies in another one of these. */
  contains({ type, countryCode, regionCode }: Location): boolean {
    if (type === 'COUNTRIES') return false;
    return this.countries.has(countryCode) || (type !== 'REGIONS' && this.regions.has(regionCode ?? ''));
  }

  covers(place: Location): boolean {
    return this.has(place) || this.contains(place);
  }
}

/** Where the users of an audience are. */
export class AudiencePlaces {
  private readonly targeted: Area;
  private readonly excluded: Area;
  /** Places that do not overlap, with all users of the audience. */
  readonly all: readonly PlaceUsers[];

  constructor(criteria: AudienceCriteria) {
    const known = (values: Iterable<string>) => new Area([...values].flatMap((value) => locationAt(value) ?? []));
    this.targeted = known(criteria.including('LOCATION'));
    this.excluded = known(criteria.excluding('LOCATION'));
    const everywhere = [...allPlaces().values()].flatMap(({ byType }) => byType.get('COUNTRIES') ?? []);
    const included = this.targeted.places.length > 0 ? this.targeted.places : everywhere;
    this.all = included
      .filter((place) => !this.targeted.contains(place) && !this.excluded.covers(place))
      .map((place) => ({ place, users: Math.max(1, usersIn(place) - this.excludedIn(place)) }));
  }

  /** The users of each country. */
  byCountry(): PlaceUsers[] {
    return merged(
      this.all.map(({ place, users }) => ({
        place: allPlaces().get(place.countryCode)!.byType.get('COUNTRIES')![0],
        users,
      })),
    );
  }

  /** The users of each place of a type in a country; of cities and postal codes only those that the audience targets. */
  within({ countryCode }: Location, type: LocationType): PlaceUsers[] {
    const own = this.all.filter(({ place }) => place.countryCode === countryCode);
    const candidates = allPlaces().get(countryCode)!.byType.get(type) ?? [];
    return merged(own.flatMap((each) => this.divided(each, type, candidates)));
  }

  /** Regions and metros divide all users of a larger place. Cities and postal codes have a part of them. */
  private divided({ place, users }: PlaceUsers, type: LocationType, candidates: readonly Location[]): PlaceUsers[] {
    if (place.type === type) return [{ place, users }];
    if (place.type !== 'COUNTRIES' && place.type !== 'REGIONS') {
      const region = type === 'REGIONS' && candidates.find(({ regionCode }) => regionCode === place.regionCode);
      return region ? [{ place: region, users }] : [];
    }
    const area = new Area([place]);
    const isWhole = type === 'REGIONS' || type === 'METROS';
    const parts = candidates
      .filter((part) => area.contains(part) && !this.excluded.covers(part) && (isWhole || this.targeted.has(part)))
      .map((part) => ({ place: part, users: usersIn(part) }));
    const scale = isWhole ? users / sumOfShares(parts) : 1;
    return parts.map((part) => ({ place: part.place, users: part.users * scale }));
  }

  private excludedIn(place: Location): number {
    const area = new Area([place]);
    const own = this.excluded.places.filter((each) => area.contains(each) && !this.excluded.contains(each));
    return own.reduce((sum, each) => sum + usersIn(each), 0);
  }
}

export const sumOfShares = (inhabited: readonly Pick<PlaceUsers, 'users'>[]): number =>
  inhabited.reduce((sum, { users }) => sum + users, 0);

function merged(inhabited: readonly PlaceUsers[]): PlaceUsers[] {
  const byValue = new Map<string, PlaceUsers>();
  for (const { place, users } of inhabited)
    byValue.set(place.value, { place, users: users + (byValue.get(place.value)?.users ?? 0) });
  return [...byValue.values()];
}
