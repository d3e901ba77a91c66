import {
  AGE_BUCKETS,
  DIRECTORY_GENDERS,
  LIST_TRAITS,
  DIRECTORY_PLATFORMS,
  ageBucketsWithin,
  platformBits,
  storedTrait,
  type ListTrait,
} from './directory-traits.rules.js';
import { isSetValue, setPlaceOf, type EstimatedUsers, type SetKind, type UserSet } from './user-sets.js';

/** The sets of one group by the row columns they query. Values of the same column form one condition. */
export interface WantedSet {
  countries: string[];
  languages: string[];
  genders: number[];
  ages: number[];
  platforms: number;
  traits: string[];
  follows: string[];
  audiences: string[];
  users: string[];
}

/** Callers validate the values, so an impossible one is an internal error. Callers also resolve similar followers. */
export function wantedOf(sets: readonly UserSet[]): WantedSet {
  const wanted: WantedSet = {
    countries: [],
    languages: [],
    genders: [],
    ages: [],
    platforms: 0,
    traits: [],
    follows: [],
    audiences: [],
    users: [],
  };
  for (const { kind, values } of sets) {
    for (const value of values) {
      if (!isSetValue(kind, value)) throw new RangeError(`${kind} has no value ${value}`);
      ADD[kind]?.(wanted, value);
      if (isListTrait(kind)) wanted.traits.push(storedTrait(kind, value));
    }
  }
  return wanted;
}

/** The values of the sets of this kind. */
export const setValuesOf = (sets: readonly UserSet[], wanted: SetKind): string[] =>
  sets.flatMap(({ kind, values }) => (kind === wanted ? values : []));

/** Replaces the followers of similar users by the followers of those users and of the ones typical for them. */
export const withTypicalFollows = (sets: readonly UserSet[], typical: readonly string[]): UserSet[] => [
  ...sets.filter(({ kind }) => kind !== 'SIMILAR_TO_FOLLOWERS_OF_USER'),
  { kind: 'FOLLOWERS_OF_USER', values: [...setValuesOf(sets, 'SIMILAR_TO_FOLLOWERS_OF_USER'), ...typical] },
];

/**
 * The same text for the same sets in any order. Of an account only its do-not-reach list matters, and its state
 * identifies that.
 */
export const canonical = ({ primary, groups, without }: EstimatedUsers) => {
  const textsOf = (sets: readonly UserSet[]) =>
    sets.map(({ kind, values }) => `${kind} ${[...new Set(values)].toSorted().join()}`).toSorted();
  const first = primary === 'everybody' ? primary : textsOf(primary);
  return [first, groups.map((group) => textsOf(group).join(';')).toSorted(), textsOf(without)];
};

const ADD: Partial<Record<SetKind, (wanted: WantedSet, value: string) => void>> = {
  COUNTRY: (wanted, value) => wanted.countries.push(value.toUpperCase()),
  LANGUAGE: (wanted, value) => wanted.languages.push(value.toLowerCase()),
  GENDER: (wanted, value) => wanted.genders.push(setPlaceOf(DIRECTORY_GENDERS, value, 1) + 1),
  AGE: (wanted, value) => wanted.ages.push(...ageBucketsWithin(value)!.map((each) => AGE_BUCKETS.indexOf(each))),
  PLATFORM: (wanted, value) =>
    void (wanted.platforms |= platformBits([DIRECTORY_PLATFORMS[setPlaceOf(DIRECTORY_PLATFORMS, value, 0)]])),
  FOLLOWERS_OF_USER: (wanted, value) => wanted.follows.push(value),
  CUSTOM_AUDIENCE: (wanted, value) => wanted.audiences.push(value),
  USER: (wanted, value) => wanted.users.push(value),
};

const isListTrait = (kind: SetKind): kind is ListTrait => (LIST_TRAITS as readonly string[]).includes(kind);
