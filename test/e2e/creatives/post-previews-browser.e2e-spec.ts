import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { jest } from '@jest/globals';
import sharp from 'sharp';
import { entitiesOf } from '../../../src/creatives/composition/post-text.rules.js';
import { useApp, world } from '../../support/app.js';
import {
  inBrowser,
  openBrowser,
  SHOTS,
  SITE,
  type OpenBrowser,
  hasChromium,
  SHOTS as WANTED,
} from '../../support/browser.js';
import { given, type Advertiser } from '../../support/given.js';
import { PASSWORD, person } from '../auth/visitor.js';
import { FILM, HILLS, landscape } from './pictures.js';
import { card, draft, notification, published, scheduled, subtitled } from './previewed.js';
import { COMPONENT_CARD_TYPES, type ComponentCardType } from '../../../src/creatives/entities/card.entity.js';
import type { Json } from '../../support/http.js';
import type { Params } from '../../support/api.js';
import { gif } from '../../support/media/files.js';
import { asset, Journey, type PostType } from './journey.js';

jest.setTimeout(60_000);

useApp({ BASE_URL: SITE });

describe('post previews browser', () => {
  type Shown = { text?: string; cardId?: string | null; mediaKeys?: string[] };
  type Kind = [name: string, make: (scene: Scene) => Promise<{ type: string; id: string }>];

  /** An account with media whose bytes can be looked at. */
  interface Scene {
    advertiser: Advertiser;
    wide: string[];
    square: string;
    tall: string;
    gif: string;
    film: string;
  }

  async function scene(): Promise<Scene> {
    const advertiser = await given.advertiser({ name: 'Tea & Sons' });
    const { account } = advertiser;
    const image = async (
      width: number,
      height: number,
      hill: keyof typeof HILLS,
      category: 'POST_IMAGE' | 'POST_GIF',
    ) => {
      const bytes = landscape(width / 2, height / 2, HILLS[hill]);
      return (await given.libraryMedia(account, { category, width, height, bytes, name: `${hill} hills` })).mediaKey;
    };
    const hills = ['green', 'red', 'blue', 'gold'] as const;
    const wide = [];
    for (const hill of hills) wide.push(await image(1200, 628, hill, 'POST_IMAGE'));
    const posterBytes = landscape(640, 360, HILLS.violet);
    const film = await given.libraryMedia(account, {
      category: 'POST_VIDEO',
      width: 1280,
      height: 720,
      bytes: FILM,
      posterBytes,
    });
    return {
      advertiser,
      wide,
      square: await image(800, 800, 'gold', 'POST_IMAGE'),
      tall: await image(700, 1400, 'violet', 'POST_IMAGE'),
      gif: await image(640, 400, 'blue', 'POST_GIF'),
      film: film.mediaKey,
    };
  }

  const website = (title: string, url = 'https://www.tea.example/autumn') => ({
    type: 'DETAILS',
    title,
    destination: { type: 'WEBSITE', url },
  });
  const app = {
    type: 'BUTTON',
    label: { type: 'ENUM', value: 'INSTALL' },
    destination: {
      type: 'APP',
      country_code: 'US',
      ios_app_store_identifier: '123456789',
      googleplay_app_id: 'com.tea.leaves',
    },
  };
  const conversation = {
    title: 'Which one is yours?',
    ctas: [
      { hashtag: '#GreenTea', post: 'I am for #GreenTea this autumn.' },
      { hashtag: '#BlackTea', post: 'Nothing but #BlackTea before noon.' },
    ],
    thank_you_text: 'Thanks for choosing!',
    thank_you_url: 'https://tea.example/thanks',
    poster_media_key: null,
    unlocked_image_media_key: null,
    unlocked_video_media_key: null,
  };

  const drafted = async ({ advertiser: { account } }: Scene, shown: Shown) => ({
    type: 'DRAFT',
    id: (await draft(account, { text: 'The new leaves are here.', ...shown })).id,
  });
  const carded = async (made: Scene, ...of: Parameters<typeof card> extends [unknown, ...infer Rest] ? Rest : never) =>
    drafted(made, { cardId: (await card(made.advertiser.account, ...of)).id });
  const keysIn = (content: object): string[] => [
    ...new Set(JSON.stringify(content).match(/\b(?:3|7|13|16)_\d+/g) ?? []),
  ];
  const components = (made: Scene, content: object) =>
    carded(made, 'COMPONENTS', content, { mediaKeys: keysIn(content) });

  const KINDS: Kind[] = [
    [
      'text',
      async (made) => {
        const { user } = made.advertiser;
        const text =
          'Autumn is for #tea ☕ and long walks. Thanks, @' +
          `${user.username}!\n\nOur shops, opening hours and all teas: https://www.example.com/shops/near-you?from=post`;
        return {
          type: 'PUBLISHED',
          id: (await published(made.advertiser.account, { text, entities: entitiesOf(text, [user]) })).id,
        };
      },
    ],
    ['right-to-left', (made) => drafted(made, { text: 'مرحبا بكم في متجر الشاي الجديد #شاي https://example.com' })],
    ['one-image', (made) => drafted(made, { mediaKeys: made.wide.slice(0, 1) })],
    ['tall-image', (made) => drafted(made, { mediaKeys: [made.tall] })],
    ['two-images', (made) => drafted(made, { mediaKeys: made.wide.slice(0, 2) })],
    ['three-images', (made) => drafted(made, { mediaKeys: made.wide.slice(0, 3) })],
    ['four-images', (made) => drafted(made, { mediaKeys: made.wide })],
    ['gif', (made) => drafted(made, { mediaKeys: [made.gif] })],
    [
      'video',
      async (made) => {
        const post = await published(made.advertiser.account, {
          text: 'From leaf to cup, in two seconds.',
          mediaKeys: [made.film],
          videoTitle: 'From leaf to cup',
          videoDescription: 'How we make tea, and why it takes so long to do it fast.',
          videoCta: 'WATCH_NOW',
          videoCtaValue: 'https://tea.example/film',
          conversationSettings: 'MENTIONED_USERS',
        });
        return { type: 'PUBLISHED', id: post.id };
      },
    ],
    [
      'website-card',
      (made) =>
        components(made, {
          components: [{ type: 'MEDIA', media_key: made.wide[1] }, website('Teas of the red hills')],
        }),
    ],
    [
      'video-website-card',
      (made) =>
        components(made, { components: [{ type: 'MEDIA', media_key: made.film }, website('See how it is made')] }),
    ],
    ['app-card', (made) => components(made, { components: [{ type: 'MEDIA', media_key: made.square }, app] })],
    [
      'carousel',
      (made) =>
        components(made, {
          components: [{ type: 'SWIPEABLE_MEDIA', media_keys: made.wide }, website('All teas of the season')],
        }),
    ],
    [
      'app-carousel',
      (made) => components(made, { components: [{ type: 'SWIPEABLE_MEDIA', media_keys: made.wide.slice(0, 2) }, app] }),
    ],
    [
      'multi-destination-carousel',
      (made) =>
        components(made, {
          slides: [
            [{ type: 'MEDIA', media_key: made.wide[0] }, website('Green tea', 'https://green.example')],
            [
              { type: 'MEDIA', media_key: made.film },
              website('The film about it, and a title that needs two lines', 'https://film.example'),
            ],
            [{ type: 'MEDIA', media_key: made.wide[2] }, website('Oolong', 'https://oolong.example')],
          ],
        }),
    ],
    [
      'image-conversation',
      (made) =>
        carded(made, 'IMAGE_CONVERSATION', {
          ...conversation,
          media_key: made.wide[0],
          unlocked_image_media_key: made.wide[3],
        }),
    ],
    [
      'video-conversation',
      (made) =>
        carded(made, 'VIDEO_CONVERSATION', { ...conversation, media_key: made.film, poster_media_key: made.wide[2] }),
    ],
    [
      'poll',
      (made) =>
        carded(
          made,
          'POLL',
          { choices: ['Green', 'Black', 'Oolong', 'None, thank you'], duration_in_minutes: 1440, media_key: null },
          { endsAt: new Date(world().clock.now().getTime() + 82_000_000).toISOString() },
        ),
    ],
    [
      'image-poll-over',
      (made) =>
        carded(
          made,
          'POLL',
          { choices: ['Green', 'Black'], duration_in_minutes: 5, media_key: made.wide[0] },
          { mediaKeys: [made.wide[0]], endsAt: world().clock.now().toISOString() },
        ),
    ],
    [
      'long-words',
      async (made) => {
        const user = await person();
        await world().sql('UPDATE users SET name = $1 WHERE id = $2', 'W'.repeat(50), user.id);
        const text = `${'W'.repeat(120)} ${'Donaudampfschifffahrt'.repeat(7)}`;
        const { id } = await draft(made.advertiser.account, { text, userId: user.id });
        return { type: 'DRAFT', id };
      },
    ],
    ['long-lines', (made) => drafted(made, { text: Array(28).fill('wide maps').join(' ') })],
    [
      'website-card-with-a-long-title',
      (made) =>
        components(made, {
          components: [
            { type: 'MEDIA', media_key: made.square },
            website('M'.repeat(70), `https://${'long-name.'.repeat(12)}example/`),
          ],
        }),
    ],
    [
      'carousel-of-mixed-ratio',
      (made) =>
        components(made, {
          slides: [
            [{ type: 'MEDIA', media_key: made.wide[0] }, website('W'.repeat(70), 'https://green.example')],
            [{ type: 'MEDIA', media_key: made.square }, website('Square', 'https://square.example')],
            [{ type: 'MEDIA', media_key: made.film }, website('Film', 'https://film.example')],
            [{ type: 'MEDIA', media_key: made.tall }, app],
          ],
        }),
    ],
    [
      'conversation-with-long-words',
      (made) =>
        carded(made, 'IMAGE_CONVERSATION', {
          ...conversation,
          title: 'W'.repeat(70),
          ctas: [1, 2, 3, 4].map((each) => ({ hashtag: `#${'M'.repeat(20 + each * 20)}`, post: 'Tea' })),
          media_key: made.wide[0],
        }),
    ],
    [
      'poll-with-long-words',
      (made) =>
        carded(
          made,
          'POLL',
          { choices: ['W'.repeat(25), 'M'.repeat(60), 'Tea', 'None'], duration_in_minutes: 5, media_key: made.film },
          { mediaKeys: [made.film], endsAt: world().clock.now().toISOString() },
        ),
    ],
    ['media-gone', (made) => drafted(made, { mediaKeys: [made.wide[0], '3_1'] })],
    ['one-medium-gone', (made) => drafted(made, { mediaKeys: ['3_1'] })],
    ['card-gone', (made) => drafted(made, { cardId: '1' })],
    [
      'scheduled',
      async (made) => ({
        type: 'SCHEDULED',
        id: (await scheduled(made.advertiser.account, { text: 'Merry Christmas!', mediaKeys: [made.square] })).id,
      }),
    ],
    [
      'failed',
      async (made) => {
        const post = await scheduled(made.advertiser.account, {
          text: 'Merry Christmas!',
          scheduledStatus: 'FAILED',
          failure: 'INVALID_MEDIA_ID: Media 3_1 is not in the media library',
        });
        return { type: 'SCHEDULED', id: post.id };
      },
    ],
  ];

  /**
   * Elements whose text sticks out of a box that hides what sticks out, and pictures that lie over what follows them or are cropped
   * although they stand alone. Run in the page.
   */
  const CUT_OFF = `(() => {
  const found = [];
  for (const box of document.querySelectorAll('.post, .post *')) {
    const { overflowX, overflowY } = getComputedStyle(box);
    const isScrolled = box.classList.contains('slides');
    if (overflowX !== 'visible' && !isScrolled && box.scrollWidth > box.clientWidth + 1) found.push('wide ' + box.className);
    if (overflowY !== 'visible' && !isScrolled && box.scrollHeight > box.clientHeight + 1) found.push('high ' + box.className);
  }
  for (const medium of document.querySelectorAll('.medium')) {
    const next = medium.nextElementSibling;
    const media = medium.firstElementChild.getBoundingClientRect();
    if (media.height > medium.getBoundingClientRect().height + 1) found.push('medium');
    if (next?.matches('.details') && media.bottom > next.getBoundingClientRect().top + 1) found.push('overlap');
    const isAlone = medium.closest('.card, .media-1');
    if (isAlone && medium.querySelector('img') && getComputedStyle(medium.querySelector('img')).objectFit !== 'contain')
      found.push('cropped');
  }
  return found;
})()`;

  inBrowser('previews in a browser', () => {
    let browser: OpenBrowser;
    let page: Page;
    let made: Scene;
    const complaints: string[] = [];
    const asked: string[] = [];

    beforeAll(async () => {
      browser = await openBrowser({ viewport: { width: 1280, height: 900 } });
      browser.context.setDefaultTimeout(8_000);
      page = browser.page;
      page.on('console', (message) => void complaints.push(message.text()));
      page.on('request', (request) => void asked.push(request.url()));
      made = await scene();
    }, 60_000);

    afterAll(() => browser.close());
    beforeEach(() => {
      complaints.length = 0;
      asked.length = 0;
    });

    const preview = async ({ type, id }: { type: string; id: string }): Promise<string> => {
      const { account, api } = made.advertiser;
      const query = { post_ids: id, post_type: type };
      const { body } = await api.get(`/12/accounts/${account.id}/post_previews`, { query });
      return (body.data as { preview: string }[])[0].preview;
    };
    const urlOf = async (post: { type: string; id: string }) => / src='([^']+)'/.exec(await preview(post))![1];

    const VIEWS = [
      ['wide-light', 1280, 'light'],
      ['wide-dark', 1280, 'dark'],
      ['phone-light', 360, 'light'],
      ['phone-dark', 320, 'dark'],
    ] as const;

    /** Looks at the page in every width and color scheme: nothing sticks out, and there is a picture where one is wanted. */
    const looks = async (name: string, fullPage = true) => {
      for (const [view, width, colorScheme] of VIEWS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        expect([view, await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')]).toEqual([
          view,
          true,
        ]);
        if (!SHOTS) continue;
        mkdirSync(SHOTS, { recursive: true });
        await page.screenshot({ path: join(SHOTS, `${name}-${view}.png`), fullPage });
      }
    };

    it.each(KINDS)('%s: all of it shows, in every width and light, in a frame as high as it', async (name, make) => {
      const post = await make(made);
      const html = await preview(post);
      const url = / src='([^']+)'/.exec(html)![1];
      await page.goto(url);
      await looks(name);
      const broken = 'Array.from(document.images).filter((image) => image.complete && image.naturalWidth === 0).length';
      expect(await page.evaluate(broken)).toBe(0);

      const given = Number(/ height='(\d+)'/.exec(html)![1]);
      await page.setViewportSize({ width: 550, height: given });
      const needed = await page.evaluate<number>('document.querySelector("main").offsetHeight');
      // the height assumes a wide font; how lines break depends on the fonts of the machine
      expect(`${name} ${needed <= given && needed >= given - 70 ? 'fits' : `needs ${needed} and has ${given}`}`).toBe(
        `${name} fits`,
      );
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await page.evaluate(CUT_OFF)).toEqual([]);
      if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}-frame.png`) });
      expect(complaints).toEqual([]);
      expect(asked.filter((each) => !each.startsWith(`${SITE}/`))).toEqual([]);
    });

    it('show the subtitles of a video, without a script', async () => {
      await subtitled(made.advertiser.account, made.film, '1\n00:00:00,000 --> 00:00:01,900\nTea & <b>leaves</b>');
      const [, make] = KINDS.find(([name]) => name === 'video')!;
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(await urlOf(await make(made)));
      const cues = () =>
        page
          .locator('video')
          .evaluate((video) =>
            Array.from(
              (video as unknown as { textTracks: { cues: { text: string }[] | null; mode: string; label: string }[] })
                .textTracks,
              ({ cues, mode, label }) => ({ mode, label, cues: Array.from(cues ?? [], ({ text }) => text) }),
            ),
          );
      for (let waits = 0; waits < 50 && !(await cues())[0]?.cues.length; waits++) await page.waitForTimeout(100);
      expect(await cues()).toEqual([{ mode: 'showing', label: 'English', cues: ['Tea &amp; <b>leaves</b>'] }]);
      await looks('video-with-subtitles');
      expect(complaints).toEqual([]);
    });

    it('play a video in a frame of another site, without a script', async () => {
      const [, make] = KINDS.find(([name]) => name === 'video')!;
      await page.setViewportSize({ width: 1280, height: 900 });
      const html = await preview(await make(made));
      const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html));
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const video = page.frameLocator('iframe').locator('video');
      const { x, y, height } = (await video.boundingBox())!;
      // the button to play, where controls have it
      await page.mouse.click(x + 26, y + height - 50);
      const time = () => video.evaluate((each) => (each as unknown as { currentTime: number }).currentTime);
      for (let waits = 0; waits < 50 && (await time()) === 0; waits++) await page.waitForTimeout(100);
      expect(await time()).toBeGreaterThan(0);
      server.close();
      server.closeAllConnections();
    });

    it.each([
      [550, 550],
      [360, 360],
    ])('show in a page that is opened as a file, %i pixels wide', async (width, max) => {
      const [, make] = KINDS.find(([name]) => name === 'one-image')!;
      const folder = mkdtempSync(join(tmpdir(), 'marquee-page-'));
      const file = join(folder, 'page.html');
      writeFileSync(file, `<!doctype html><body style="margin:0">${await preview(await make(made))}</body>`);
      await page.setViewportSize({ width, height: 900 });
      await page.goto(pathToFileURL(file).href);
      await page.frameLocator('iframe').getByText('The new leaves are here.').waitFor();
      const broken = 'Array.from(document.images).filter((image) => image.naturalWidth === 0).length';
      const frame = page.frames().find((each) => each.url().startsWith(`${SITE}/previews/`))!;
      await frame.waitForLoadState('load');
      expect(await frame.evaluate(broken)).toBe(0);
      expect(
        await page.locator('iframe').evaluate((each) => (each as unknown as { offsetWidth: number }).offsetWidth),
      ).toBe(max);
      expect(complaints).toEqual([]);
      rmSync(folder, { recursive: true });
    });

    it('swipe, and by keyboard too', async () => {
      const [, make] = KINDS.find(([name]) => name === 'carousel')!;
      await page.goto(await urlOf(await make(made)));
      const slides = page.getByRole('list', { name: 'Carousel with 4 cards' });
      await slides.focus();
      const place = () => slides.evaluate((each) => (each as unknown as { scrollLeft: number }).scrollLeft);
      expect(await place()).toBe(0);
      await page.keyboard.press('ArrowRight');
      for (let waits = 0; waits < 30 && (await place()) === 0; waits++) await page.waitForTimeout(100);
      expect(await place()).toBeGreaterThan(0);
    });

    it('say what a conversation posts, and how it ends', async () => {
      const [, make] = KINDS.find(([name]) => name === 'image-conversation')!;
      await page.goto(await urlOf(await make(made)));
      await page.getByText('Post #GreenTea').click();
      expect(await page.getByText('I am for #GreenTea this autumn.').isVisible()).toBe(true);
      await page.getByText('After posting').click();
      expect(await page.getByText('Thanks for choosing!').isVisible()).toBe(true);
      await looks('image-conversation-open');
    });

    it('run no script and take no form, whatever somebody writes', async () => {
      const evil = '<script>document.title="x"</script><img src=x onerror=alert(1)>"\'><svg onload=alert(1)>';
      const user = await person();
      await world().sql('UPDATE users SET name = $1 WHERE id = $2', `${evil}\u202e`, user.id);
      const { account } = made.advertiser;
      const hostile = await card(
        account,
        'COMPONENTS',
        {
          components: [{ type: 'MEDIA', media_key: made.wide[0] }, website(evil, 'javascript:alert(1)')],
        },
        { mediaKeys: made.wide.slice(0, 1) },
      );
      const { id } = await draft(account, {
        text: `${evil} #a${'\u0301'.repeat(200)}\u202e`,
        userId: user.id,
        cardId: hostile.id,
      });
      await page.goto(await urlOf({ type: 'DRAFT', id }));
      expect(await page.locator('script, [onerror], [onload], iframe, form, object').count()).toBe(0);
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
      expect(await page.title()).toContain('Preview of a post of @');
      await looks('hostile');
      const talking = await card(account, 'IMAGE_CONVERSATION', {
        ...conversation,
        title: evil,
        ctas: [{ hashtag: `#${evil}`, post: evil }],
        thank_you_text: evil,
        thank_you_url: 'javascript:alert(1)',
        media_key: made.wide[0],
      });
      await page.goto(await urlOf({ type: 'DRAFT', id: (await draft(account, { cardId: talking.id })).id }));
      expect(await page.locator('script, [onerror], [onload], a[href^="javascript"]').count()).toBe(0);
      const poll = await card(account, 'POLL', { choices: [evil, evil], duration_in_minutes: 5, media_key: null });
      await page.goto(await urlOf({ type: 'DRAFT', id: (await draft(account, { cardId: poll.id })).id }));
      expect(await page.locator('script, [onerror], [onload]').count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    it('say why there is none', async () => {
      await page.goto(`${SITE}/previews/nothing`);
      await page.getByRole('heading', { name: 'This preview does not exist' }).waitFor();
      await looks('problem');
    });

    it('wait among the notifications of who asked for them, and open in a timeline', async () => {
      const user = await person();
      const account = await given.account({ userId: user.id, name: 'Tea & Sons' });
      const bytes = landscape(600, 314, HILLS.red);
      const { mediaKey } = await given.libraryMedia(account, { bytes });
      const named = await draft(account, {
        name: 'Autumn, second try',
        text: 'The leaves are here. #tea',
        mediaKeys: [mediaKey],
      });
      const plain = await draft(account, {
        text: 'A draft without a name, which says a lot before it comes to its point, if it has one at all',
      });
      const deleted = await draft(account, { deletedAt: world().clock.now().toISOString() });
      for (const each of [deleted, plain, named]) await notification(user.id, each);

      await page.goto(`${SITE}/notifications`);
      await page.getByLabel('Username').fill(user.username);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Notifications' }).waitFor();
      await looks('notifications');
      expect(await page.getByText('New', { exact: true }).count()).toBe(2);
      await page.getByRole('link', { name: 'Autumn, second try' }).click();
      await page.getByText('Only you').waitFor();
      expect(await page.locator('article').count()).toBe(1);
      await looks('timeline');
      await page.getByRole('link', { name: 'Notifications' }).click();
      expect(await page.getByText('New', { exact: true }).count()).toBe(1);
      expect(complaints).toEqual([]);
    });
  });
});

describe('journeys', () => {
  let browser: OpenBrowser | undefined;
  // said before the service is, so that the browser goes first: the service waits for its connections
  afterAll(() => browser?.close());

  // a browser beside the service on a busy machine takes its time

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
        const { card_uri } = await journey.cardOf('video_conversation', {
          ...conversation,
          media_key,
          poster_media_key,
        });
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
});
