import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS } from '../common/time/days.js';
import { DirectoryImportService } from '../audiences/directory/directory-import.service.js';
import { LOCATIONS } from '../audiences/locations/locations.js';
import { CONVERSATIONS, INTERESTS } from '../campaigns/targeting-values/targeting-lists.js';
import type { ShippedItem, ShippedList } from '../common/list/shipped-list.js';

const NAMES = [
  'Ada Aiko Amir Anouk Bela Bruno Carla Chidi Dana Diego Elif Emil Fatou Finn Greta',
  'Hana Ines Ivo Jonas June Kofi Lara Leo Lina Mara Milo Nadia Omar Rosa Theo',
].flatMap((line) => line.split(' '));
const PASTIMES = ['roasts', 'rides', 'reads', 'cooks', 'hikes', 'paints', 'runs', 'sings', 'travels', 'gardens'];

/** Locations and languages of the users. Repeated entries have more users. */
const PLACES: [country: string, language: string][] = [
  ['US', 'en'],
  ['GB', 'en'],
  ['US', 'en'],
  ['DE', 'de'],
  ['US', 'es'],
  ['JP', 'ja'],
  ['CA', 'en'],
  ['BR', 'pt'],
  ['US', 'en'],
  ['FR', 'fr'],
  ['MX', 'es'],
];
const AGES = [
  'AGE_18_TO_20',
  'AGE_21_TO_24',
  'AGE_25_TO_34',
  'AGE_25_TO_34',
  'AGE_35_TO_49',
  'AGE_35_TO_49',
  'AGE_50_TO_54',
  'AGE_OVER_55',
] as const;
const DEVICES = [['IOS'], ['ANDROID'], ['ANDROID', 'DESKTOP'], ['IOS', 'DESKTOP'], ['MOBILE_WEB']] as const;
/** The interests, keywords and conversations of each pastime. */
const TASTES: [iab: string, keywords: string[], interest: string, conversation: string][] = [
  ['IAB8-5', ['coffee', 'roastery', 'espresso'], 'Food and drink/Coffee and tea', 'Coffee culture'],
  ['IAB17-3', ['cycling', 'coffee'], 'Sports/Cycling', 'Sustainable living'],
  ['IAB1-1', ['books', 'tea'], 'Books and literature/Poetry', 'Crime fiction'],
  ['IAB8-6', ['recipes', 'coffee'], 'Food and drink/Cooking', 'Cooking channels'],
  ['IAB17-22', ['hiking'], 'Travel/Adventure travel', 'Grand Canyon'],
  ['IAB9-12', ['watercolour', 'latteart'], 'Hobbies and interests/Painting', 'Frida Kahlo'],
  ['IAB17-33', ['running', 'cold brew'], 'Sports/Running and jogging', 'Running shoes'],
  ['IAB1-6', ['music'], 'Music and radio/Jazz', 'Ella Fitzgerald'],
  ['IAB20', ['travel', 'coffee'], 'Travel/Air travel', 'Summer travel'],
  ['IAB10', ['gardening'], 'Home and garden/Gardening', 'Spring cleaning'],
];
/** The regions of some users. */
const CITIES: Record<string, string[]> = {
  US: ['Los Angeles, CA, US', 'New York City, NY, US', 'Chicago, IL, US'],
  DE: ['Berlin, DE'],
  GB: ['London, GB'],
};

/** The targeting value with this name. */
function valueOf(list: ShippedList<ShippedItem>, name: string): string {
  const found = list.matching(name).find((each) => each.name === name);
  if (!found) throw new Error(`${name} cannot be targeted`);
  return found.value;
}

const every = <V>(list: readonly V[], i: number): V => list[i % list.length];

/** The users of the demo's directory. They are always the same, except for the time they were last active. */
export function demoPeople(now: Date): object[] {
  const tastes = TASTES.map(([iab, keywords, interest, conversation]) => ({
    iab,
    keywords,
    interest: valueOf(INTERESTS, interest),
    conversation: valueOf(CONVERSATIONS, conversation),
  }));
  const cities = new Map(
    Object.entries(CITIES).map(([country, names]) => [country, names.map((name) => valueOf(LOCATIONS, name))]),
  );
  return NAMES.flatMap((first, n) =>
    PASTIMES.map((pastime, p) => {
      const i = n * PASTIMES.length + p;
      const username = `${first.toLowerCase()}_${pastime}`;
      const [country, language] = every(PLACES, i * 7 + n);
      const { iab, keywords, interest, conversation } = tastes[p];
      const there = cities.get(country);
      const drinksCoffee = keywords.includes('coffee');
      return {
        username,
        name: `${first} ${pastime}`,
        // Every twentieth user has been inactive for months and belongs to no audience.
        active_at: new Date(now.getTime() - (i % 20 === 19 ? 120 : i % 45) * DAY_MS).toISOString(),
        country,
        language,
        gender: i % 9 === 4 ? null : i % 2 === 0 ? 'FEMALE' : 'MALE',
        age_bucket: every(AGES, i + n),
        platforms: [...every(DEVICES, i + p)],
        iab_categories: [iab],
        interests: [interest],
        // Some users have a second conversation topic.
        conversations: [conversation, ...(i % 4 === 0 ? [every(tastes, p + n).conversation] : [])],
        ...(there && n % 2 === 0 && { locations: [every(there, n / 2 + p)] }),
        keywords,
        follows: [
          ...(drinksCoffee ? ['marquee_friend'] : []),
          ...(drinksCoffee && i % 3 === 0 ? ['demo'] : []),
          ...(pastime === 'rides' ? ['other_advertiser'] : []),
          `${every(NAMES, n + 1).toLowerCase()}_${pastime}`,
        ],
        email: `${username}@mail.example`,
      };
    }),
  );
}

/** The addresses of newsletter subscribers. Three of four are in the directory. */
export const newsletterAddresses = (): string[] =>
  NAMES.flatMap((first, n) =>
    PASTIMES.map(
      (pastime, p) => `${first.toLowerCase()}_${pastime}@${(n + p) % 4 === 3 ? 'elsewhere' : 'mail'}.example`,
    ),
  );

/** Imports the demo's users into the directory, including the users created before. */
export async function makeDirectory(app: INestApplicationContext, now: Date): Promise<void> {
  const directory = app.get(DirectoryImportService);
  const advertisers = ['demo', 'marquee_friend', 'other_advertiser'].map((username) => {
    return { username, active_at: now.toISOString(), country: 'US', language: 'en' };
  });
  await directory.store([...advertisers, ...demoPeople(now)].map((each) => directory.read(each)));
}
