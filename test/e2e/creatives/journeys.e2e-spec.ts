import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { COMPONENT_CARD_TYPES, type ComponentCardType } from '../../../src/creatives/entities/card.entity.js';
import type { Json, Params } from '../../support/api.js';
import { useApp, world } from '../../support/app.js';
import { hasChromium, openBrowser, SHOTS as WANTED, SITE, type OpenBrowser } from '../../support/browser.js';
import { gif } from '../../support/media/files.js';
import { asset, Journey, type PostType } from './journey.js';

let browser: OpenBrowser | undefined;
// said before the service is, so that the browser goes first: the service waits for its connections
afterAll(() => browser?.close());
useApp({ BASE_URL: SITE });
// a browser beside the service on a busy machine takes its time
jest.setTimeout(60_000);

const SHOTS = WANTED ?? join(tmpdir(), 'marquee-journeys');

/** What somebody sees who looks at a post. */
interface Sight {
  type: PostType;
  id: string;
  /** Words on the page. */
  says: string[];
  images?: number;
  videos?: number;
  /** Of a carousel. */
  slides?: number;
}

type Arrives = [name: string, type: PostType, travel: (journey: Journey, type: PostType) => Promise<Sight>];

const TYPES: PostType[] = ['DRAFT', 'SCHEDULED', 'PUBLISHED'];
const STAGES: Record<PostType, string> = { DRAFT: 'Draft, not published', SCHEDULED: 'Scheduled for', PUBLISHED: '' };

const image = (journey: Journey, name = 'autumn-blend.jpg') => journey.upload('post_image', asset(name), { name });
const film = (journey: Journey, name = 'cold-brew.mp4') =>
  journey.upload('post_video', asset(name), { name, title: 'Cold brew' });

const website = (title: string, path = 'autumn') => ({
  type: 'DETAILS',
  title,
  destination: { type: 'WEBSITE', url: `https://www.coffee.example/${path}` },
});
const app = {
  type: 'BUTTON',
  label: { type: 'ENUM', value: 'INSTALL' },
  destination: {
    type: 'APP',
    country_code: 'US',
    ios_app_store_identifier: '123456789',
    googleplay_app_id: 'com.northwind.coffee',
  },
};

/** Media of the kinds that a card type has in its name: two of them where it swipes. */
async function mediaFor(cardType: ComponentCardType, journey: Journey): Promise<{ keys: string[]; videos: number }> {
  const swipes = cardType.includes('CAROUSEL');
  if (cardType.startsWith('IMAGE'))
    return { keys: [await image(journey), ...(swipes ? [await image(journey, 'cold-brew.jpg')] : [])], videos: 0 };
  const videos = [await film(journey)];
  if (cardType.startsWith('MIXED')) return { keys: [await image(journey), ...videos], videos: 1 };
  if (swipes) videos.push(await film(journey, 'in-stream.mp4'));
  return { keys: videos, videos: videos.length };
}

/** A post with a card of this type. */
async function withCard(cardType: ComponentCardType, journey: Journey, type: PostType): Promise<Sight> {
  const { keys, videos } = await mediaFor(cardType, journey);
  const isApp = cardType.endsWith('APP');
  const titles = keys.map((_, i) => `Blend number ${i + 1}`);
  const isMulti = cardType.includes('MULTI_DEST');
  const content = isMulti
    ? {
        slides: keys.map((media_key, i) => [{ type: 'MEDIA', media_key }, website(titles[i], `blends/${i}`)]),
      }
    : {
        components: [
          keys.length > 1 ? { type: 'SWIPEABLE_MEDIA', media_keys: keys } : { type: 'MEDIA', media_key: keys[0] },
          isApp ? app : website('The autumn blend is here'),
        ],
      };
  const card: Json = await journey.card({ name: `A card of type ${cardType}`, ...content });
  expect(card.card_type).toBe(cardType);
  const text = `Plum, cocoa, and a walk in the rain. #coffee ${cardType.toLowerCase()}`;
  const id = await journey.post(type, { text, card_uri: card.card_uri });
  const leads = isApp ? ['App Store', 'Google Play', 'Install'] : ['coffee.example'];
  return {
    type,
    id,
    says: ['#coffee', ...leads, ...(isMulti ? titles : isApp ? [] : ['The autumn blend is here'])],
    images: keys.length - videos,
    videos,
    ...(keys.length > 1 && { slides: keys.length }),
  };
}

const conversation = {
  name: 'Espresso or filter',
  title: 'Espresso or filter?',
  first_cta: 'espresso',
  first_cta_post: 'Espresso it is. #espresso',
  second_cta: '#filter',
  second_cta_post: 'Filter, please. #filter',
  third_cta: '#both',
  third_cta_post: 'Both, in this order. #both',
  thank_you_text: 'Good choice!',
  thank_you_url: 'https://coffee.example/thanks',
};
const asked = ['Espresso or filter?', 'Post #espresso', 'Post #filter', 'Post #both', 'After posting'];

async function withPoll(journey: Journey, type: PostType, about: Params, sight: Partial<Sight>): Promise<Sight> {
  const choices = { first_choice: 'Light', second_choice: 'Medium', third_choice: 'Dark', fourth_choice: 'None' };
  const card = await journey.cardOf('poll', { name: 'Roast', duration_in_minutes: 2_000, ...choices, ...about });
  const id = await journey.post(type, { text: 'How do you like your roast? #coffee', card_uri: card.card_uri });
  return { type, id, says: ['#coffee', ...Object.values(choices), '0 votes', '1 day left'], ...sight };
}

const JOURNEYS: Arrives[] = [
  ...COMPONENT_CARD_TYPES.map((cardType, i): Arrives => [
    cardType,
    TYPES[i % 3],
    (journey, type) => withCard(cardType, journey, type),
  ]),
  [
    'IMAGE_CONVERSATION',
    'PUBLISHED',
    async (journey, type) => {
      const [media_key, unlocked_image_media_key] = [await image(journey), await image(journey, 'loyalty.jpg')];
      const about = { ...conversation, media_key, unlocked_image_media_key };
      const { card_uri } = await journey.cardOf('image_conversation', about);
      return { type, id: await journey.post(type, { text: 'Tell us! #coffee', card_uri }), says: asked, images: 2 };
    },
  ],
  [
    'VIDEO_CONVERSATION',
    'SCHEDULED',
    async (journey, type) => {
      const bytes = asset('cold-brew.mp4');
      const media_key = await journey.uploadInSegments('post_video', bytes, 30_000, { title: 'Cold brew' });
      const poster_media_key = await image(journey, 'roastery-square.jpg');
      const { card_uri } = await journey.cardOf('video_conversation', { ...conversation, media_key, poster_media_key });
      return { type, id: await journey.post(type, { text: 'Tell us! #coffee', card_uri }), says: asked, videos: 1 };
    },
  ],
  ['TEXT_POLLS', 'DRAFT', (journey, type) => withPoll(journey, type, {}, {})],
  [
    'IMAGE_POLLS',
    'SCHEDULED',
    async (journey, type) => withPoll(journey, type, { media_key: await image(journey) }, { images: 1 }),
  ],
  [
    'VIDEO_POLLS',
    'PUBLISHED',
    async (journey, type) => withPoll(journey, type, { media_key: await film(journey) }, { videos: 1 }),
  ],
  [
    'four images',
    'PUBLISHED',
    async (journey, type) => {
      const keys = [];
      for (const name of ['autumn-blend', 'roastery-square', 'cold-brew', 'gift-card'])
        keys.push(await image(journey, `${name}.jpg`));
      const id = await journey.post(type, { text: 'Four cups a day. #coffee', media_keys: keys.join(',') });
      return { type, id, says: ['Four cups a day.', '#coffee'], images: 4 };
    },
  ],
  [
    'a GIF, a PNG and a WEBP',
    'DRAFT',
    async (journey, type) => {
      // a post has one GIF alone, and the others have to be shown somewhere: in the answer to their upload
      await journey.upload('post_image', await sharp(asset('gift-card.jpg')).png().toBuffer());
      await journey.upload('post_image', await sharp(asset('gift-card.jpg')).webp().toBuffer());
      const key = await journey.upload('post_gif', await gif(480, 270, 12), { name: 'Steam' });
      return { type, id: await journey.post(type, { media_keys: key }), says: ['GIF'], images: 1 };
    },
  ],
  [
    'a video with a title and a call to action',
    'PUBLISHED',
    async (journey, type) => {
      const id = await journey.post(type, {
        text: 'Cold brew, the film. #coffee',
        media_keys: await film(journey),
        video_title: 'Cold brew',
        video_description: 'Twelve hours in six seconds',
        video_cta: 'WATCH_NOW',
        video_cta_value: 'https://coffee.example/film',
      });
      return { type, id, says: ['Cold brew', 'Twelve hours in six seconds', 'Watch now'], videos: 1 };
    },
  ],
];

let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  mkdirSync(SHOTS, { recursive: true });
  browser = await openBrowser({ viewport: { width: 600, height: 900 } });
  browser.context.setDefaultTimeout(10_000);
  page = browser.page;
  page.on('console', (message) => void complaints.push(message.text()));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
}, 60_000);
// what is half played would keep its connection, and the service from closing
afterEach(() => page?.goto('about:blank'));
beforeEach(() => void complaints.splice(0));

/** What a program reads that gets the page, and all files that it names. */
async function readOverHttp(url: string, { says, images = 0, videos = 0 }: Sight): Promise<void> {
  const response = await fetch(`${world().url}${new URL(url).pathname}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const html = await response.text();
  const words = html.replace(/<style>.*?<\/style>/s, '').replace(/<[^>]+>/g, '');
  for (const each of says) expect(words).toContain(each);
  const files = [...html.matchAll(/ (?:src|poster)="([^"]+)"/g)].map(([, file]) => file);
  expect(files.filter((file) => !file.startsWith(`${SITE}/media/`))).toEqual([]);
  expect([html.match(/<img /g)?.length ?? 0, html.match(/<video /g)?.length ?? 0]).toEqual([images, videos]);
  // a video has a poster besides
  expect(files).toHaveLength(images + 2 * videos);
  for (const file of files) {
    const served = await fetch(`${world().url}${new URL(file).pathname}`);
    expect([served.status, served.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^(image|video)\//),
    ]);
    expect((await served.arrayBuffer()).byteLength).toBeGreaterThan(100);
  }
}

/** What a person sees. */
async function lookAt(name: string, url: string, { type, says, images = 0, videos = 0, slides = 0 }: Sight) {
  await page.goto(url);
  // what is folded is looked at, too
  await page.evaluate('document.querySelectorAll(".thanks").forEach((each) => (each.open = true))');
  for (const each of [...says, STAGES[type], 'Promoted'])
    if (each) expect([each, await page.getByText(each).first().isVisible()]).toEqual([each, true]);
  const loaded = `Array.from(document.images).filter((each) => each.complete && each.naturalWidth > 0 && each.offsetWidth > 0).length`;
  await until(async () => (await page.evaluate(loaded)) === images);
  const ready = `Array.from(document.querySelectorAll('video')).filter((each) => each.readyState >= 1 && each.videoWidth === 1280).length`;
  await until(async () => (await page.evaluate(ready)) === videos);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const path = join(SHOTS, `${name.toLowerCase().replace(/\W+/g, '-')}-${colorScheme}.png`);
    await page.screenshot({ path, fullPage: true });
  }
  if (slides > 0) await swipes(slides);
  expect(complaints).toEqual([]);
}

async function swipes(count: number): Promise<void> {
  const slides = page.getByRole('list', { name: `Carousel with ${count} cards` });
  const place = () => slides.evaluate((each) => (each as unknown as { scrollLeft: number }).scrollLeft);
  expect(await place()).toBe(0);
  await slides.focus();
  await page.keyboard.press('ArrowRight');
  await until(async () => (await place()) > 100);
  expect(await slides.getByRole('listitem').nth(1).isVisible()).toBe(true);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waits = 0; waits < 80 && !(await holds()); waits++) await page.waitForTimeout(100);
  expect(await holds()).toBe(true);
}

describe(`from bytes to a preview${hasChromium ? '' : ' (there is no Chromium)'}`, () => {
  it.each(JOURNEYS)('%s, as %s', async (name, type, travel) => {
    const journey = await Journey.begin();
    const sight = await travel(journey, type);
    const { html, url } = await journey.preview(sight.type, sight.id);
    expect(html).toMatch(/^<iframe class='post-preview' src='[^']+' title='[^']+'/);
    await readOverHttp(url, sight);
    if (hasChromium) await lookAt(name, url, sight);
  });
});
