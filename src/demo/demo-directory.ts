import type { INestApplicationContext } from '@nestjs/common';
import { DirectoryService } from '../audiences/directory/directory.service.js';

const DAY = 86_400_000;

const NAMES = [
  'Ada Aiko Amir Anouk Bela Bruno Carla Chidi Dana Diego Elif Emil Fatou Finn Greta',
  'Hana Ines Ivo Jonas June Kofi Lara Leo Lina Mara Milo Nadia Omar Rosa Theo',
].flatMap((line) => line.split(' '));
const PASTIMES = ['roasts', 'rides', 'reads', 'cooks', 'hikes', 'paints', 'runs', 'sings', 'travels', 'gardens'];

/** Where the users are and what they speak; who is named more often has more of them. */
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
/** By pastime: what its people are interested in, and what they write about. */
const TASTES: [iab: string, keywords: string[]][] = [
  ['IAB8-5', ['coffee', 'roastery', 'espresso']],
  ['IAB17-3', ['cycling', 'coffee']],
  ['IAB1-1', ['books', 'tea']],
  ['IAB8-6', ['recipes', 'coffee']],
  ['IAB17-22', ['hiking']],
  ['IAB9-12', ['watercolour', 'latteart']],
  ['IAB17-33', ['running', 'cold brew']],
  ['IAB1-6', ['music']],
  ['IAB20', ['travel', 'coffee']],
  ['IAB10', ['gardening']],
];

const every = <V>(list: readonly V[], i: number): V => list[i % list.length];

/** The people of the demo: the same every time, but for when they were last seen. */
export function demoPeople(now: Date): object[] {
  return NAMES.flatMap((first, n) =>
    PASTIMES.map((pastime, p) => {
      const i = n * PASTIMES.length + p;
      const username = `${first.toLowerCase()}_${pastime}`;
      const [country, language] = every(PLACES, i * 7 + n);
      const [iab, keywords] = TASTES[p];
      const drinksCoffee = keywords.includes('coffee');
      return {
        username,
        name: `${first} ${pastime}`,
        // every twentieth has not been seen for months, and belongs to no audience
        active_at: new Date(now.getTime() - (i % 20 === 19 ? 120 : i % 45) * DAY).toISOString(),
        country,
        language,
        gender: i % 9 === 4 ? null : i % 2 === 0 ? 'FEMALE' : 'MALE',
        age_bucket: every(AGES, i + n),
        platforms: [...every(DEVICES, i + p)],
        iab_categories: [iab],
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

/** The addresses of people who signed up for the newsletter: three of four are in the directory, the others are not. */
export const newsletterAddresses = (): string[] =>
  NAMES.flatMap((first, n) =>
    PASTIMES.map(
      (pastime, p) => `${first.toLowerCase()}_${pastime}@${(n + p) % 4 === 3 ? 'elsewhere' : 'mail'}.example`,
    ),
  );

/** Puts the people of the demo into the directory, and those who have been made already. */
export async function makeDirectory(app: INestApplicationContext, now: Date): Promise<void> {
  const directory = app.get(DirectoryService);
  const advertisers = ['demo', 'marquee_friend', 'other_advertiser'].map((username) => {
    return { username, active_at: now.toISOString(), country: 'US', language: 'en' };
  });
  await directory.store([...advertisers, ...demoPeople(now)].map((each) => directory.read(each)));
}
