import type { INestApplicationContext } from '@nestjs/common';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { AccountAppsService } from '../accounts/account-apps/account-apps.service.js';
import { WantedUsersService } from '../auth/credentials/wanted-users.service.js';
import { CuratedCategoriesService } from '../campaigns/reference/curated-categories/curated-categories.service.js';
import { PublishersService } from '../campaigns/reference/publishers/publishers.service.js';

const NORTH_AMERICA = ['US', 'CA'];
const ENGLISH = ['US', 'CA', 'GB', 'AU'];
const EUROPE = ['GB', 'DE', 'FR', 'ES'];

/** The publishers: name, topic and countries. */
const PUBLISHERS: [username: string, name: string, contentCategories: string[], countries: string[]][] = [
  ['hoops_daily', 'Hoops Daily', ['se'], NORTH_AMERICA],
  ['court_side', 'Court Side', ['se'], ENGLISH],
  ['buzzer_beaters', 'Buzzer Beaters', ['se', 'sm'], NORTH_AMERICA],
  ['goal_line', 'Goal Line', ['se'], EUROPE],
  ['ninety_minutes', 'Ninety Minutes', ['se', 'sr'], [...EUROPE, 'BR', 'MX']],
  ['pixel_parade', 'Pixel Parade', ['s0', 'sl'], ENGLISH],
  ['speedrun_sam', 'Speedrun Sam', ['s0', 'sl'], ['US', 'JP']],
  ['kitchen_stories', 'Kitchen Stories', ['so', 'sp'], [...ENGLISH, 'DE']],
  ['market_minute', 'Market Minute', ['sn', 'sr'], ['US', 'GB', 'JP']],
  ['late_laughs', 'Late Laughs', ['sk', 'sh'], NORTH_AMERICA],
];

const CURATED: [name: string, description: string, countries: string[], publishers: string[], videos: number][] = [
  [
    'Basketball',
    'Games, plays and those who make them',
    ENGLISH,
    ['hoops_daily', 'court_side', 'buzzer_beaters'],
    1_284,
  ],
  ['Soccer', 'Goals and what comes before them', [...EUROPE, 'US', 'BR'], ['goal_line', 'ninety_minutes'], 2_061],
  [
    'Gaming Personalities',
    'People who play, and say what they think of it',
    ['US', 'GB', 'JP'],
    ['pixel_parade', 'speedrun_sam'],
    873,
  ],
];

/**
 * Creates publishers, curated categories and the apps of an account. Returns the ids for the examples of the OpenAPI
 * document.
 */
export async function makeReference(
  app: INestApplicationContext,
  account: ActingAccount,
): Promise<{ curated_category_id: string }> {
  const wanted = PUBLISHERS.map(([username, name]) => ({ username, name }));
  const users = await app.get(WantedUsersService).ensure(wanted);
  const ids = new Map(users.map(({ username, id }) => [username, id]));
  await app.get(PublishersService).create(
    PUBLISHERS.map(([username, , contentCategories, countries], i) => ({
      user_id: ids.get(username)!,
      monetizable_country_codes: countries,
      promotion_eligible_country_codes: countries.slice(0, 2),
      monetization_restricted: i === PUBLISHERS.length - 1,
      content_category_ids: contentCategories,
    })),
  );
  const curated = await app.get(CuratedCategoriesService).create(
    CURATED.map(([name, description, countries, publishers, videos]) => ({
      name,
      description,
      country_codes: countries,
      publisher_user_ids: publishers.map((each) => ids.get(each)!),
      videos_monetized_in_last_thirty_days: videos,
    })),
  );
  const apps = app.get(AccountAppsService);
  await apps.create(account, { os_type: 'Android', app_store_identifier: 'com.example.northwind.coffee' });
  await apps.create(account, {
    os_type: 'iOS',
    app_store_identifier: '333903271',
    deep_link_pattern: 'northwind://',
    conversion_tracking_enabled: true,
  });
  return { curated_category_id: curated[0].id };
}
