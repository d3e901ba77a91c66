import type { INestApplicationContext } from '@nestjs/common';
import { DAY_MS } from '../common/days.js';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { LineItemsService } from '../campaigns/line-items/line-items.service.js';

/** The parameters of a line item, without its campaign and flight dates. */
type Item = Record<string, unknown>;

const ITEMS: Item[] = [
  {
    name: 'Whoever loves coffee',
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: ['ALL_ON_PLATFORM'],
    bid_amount_local_micro: 1_500_000,
  },
  {
    name: 'To be deleted',
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: ['PLATFORM_TIMELINE'],
    entity_status: 'PAUSED',
  },
];

const IN_STREAM: Item = {
  name: 'Before the film',
  objective: 'PREROLL_VIEWS',
  product_type: 'MEDIA',
  placements: ['ALL_ON_PLATFORM'],
  categories: ['IAB3'],
};

const FOLLOWERS: Item = {
  name: 'Whoever might follow us',
  objective: 'FOLLOWERS',
  product_type: 'PROMOTED_ACCOUNT',
  placements: ['ALL_ON_PLATFORM'],
};

/**
 * Line items of the demo's campaigns: one that runs and one to delete in the first, in-stream videos in the second, and
 * followers in the third.
 */
export async function makeLineItems(
  app: INestApplicationContext,
  account: ActingAccount,
  [first, second, third]: readonly string[],
  now: Date,
) {
  const at = (days: number) => `${new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 19)}Z`;
  const flight = { start_time: at(-16), end_time: at(365) };
  const wanted = [
    ...ITEMS.map((item) => ({ campaign_id: first, ...item })),
    { campaign_id: second, ...IN_STREAM, start_time: at(-10) },
    { campaign_id: second, ...IN_STREAM, name: 'Before the film, once more' },
    { campaign_id: third, ...FOLLOWERS, start_time: at(-6) },
    { campaign_id: second, ...IN_STREAM, name: 'Before the film, the old way', entity_status: 'PAUSED' },
  ];
  const operations = wanted.map((item) => ({ operation_type: 'Create', params: { ...flight, ...item } }));
  const { items } = await app.get(LineItemsService).batch(account, operations);
  const [lineItem, spare, preroll, sparePreroll, followers, oldPreroll] = items.map(({ item }) => item.id);
  return {
    line_item_id: lineItem,
    spare_line_item_id: spare,
    preroll_line_item_id: preroll,
    spare_preroll_line_item_id: sparePreroll,
    old_preroll_line_item_id: oldPreroll,
    followers_line_item_id: followers,
  };
}
