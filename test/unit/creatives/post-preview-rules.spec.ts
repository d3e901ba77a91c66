import fc from 'fast-check';
import type { Row } from '../../../src/common/db/query/rows.js';
import type { Card, CardKind } from '../../../src/creatives/entities/card.entity.js';
import { mediaOfCard, shownCard, timeLeft } from '../../../src/creatives/post-previews/preview-card.rules.js';
import { shownMedia, type ShowMedia } from '../../../src/creatives/post-previews/preview-media.rules.js';
import { heightOf } from '../../../src/creatives/post-previews/preview-frame.rules.js';
import {
  needsLibrary,
  shownPost,
  timeIn,
  type StoredPost,
  type PreviewContext,
} from '../../../src/creatives/post-previews/preview-post.rules.js';
import { domainOf, segmentsOf, webUrl } from '../../../src/creatives/post-previews/preview-text.rules.js';

describe('the text of a preview', () => {
  const links = (text: string, url: string, rest: object = {}) =>
    segmentsOf(text, { urls: [{ indices: [0, Array.from(text).length], url, ...rest }] });

  it('is cut where its entities are, counted in code points', () => {
    expect(
      segmentsOf('😀 #tea for @ada at t.co/x', {
        hashtags: [{ indices: [2, 6] }],
        user_mentions: [{ indices: [11, 15] }],
        urls: [
          {
            indices: [19, 25],
            url: 'https://t.co/x',
            display_url: 'tea.example',
            expanded_url: 'https://tea.example/',
          },
        ],
      }),
    ).toEqual([
      { kind: 'text', text: '😀 ' },
      { kind: 'tag', text: '#tea' },
      { kind: 'text', text: ' for ' },
      { kind: 'tag', text: '@ada' },
      { kind: 'text', text: ' at ' },
      { kind: 'link', text: 'tea.example', href: 'https://tea.example/' },
    ]);
  });

  it.each([
    ['tea.example/a', 'http://tea.example/a'],
    ['https://tea.example', 'https://tea.example/'],
    ['HTTP://tea.example', 'http://tea.example/'],
  ])('leads from %s to %s', (url, href) => {
    expect(links('a link', url)).toEqual([{ kind: 'link', text: 'a link', href }]);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'http://', 'http://%zz/'])(
    'leads nowhere but to the web: not to %s',
    (url) => {
      expect(links('a link', url)).toEqual([{ kind: 'text', text: 'a link' }]);
    },
  );

  it('shortens long links', () => {
    const [link] = links('x', 'https://tea.example/', { display_url: `https://${'a'.repeat(40)}` });
    expect(link.text).toBe(`${'a'.repeat(31)}…`);
  });

  it('keeps every character of every text, wherever entities are said to be', () => {
    const place = fc.tuple(fc.integer({ min: -3, max: 40 }), fc.integer({ min: -3, max: 40 }));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(place, { maxLength: 6 }), (text, places) => {
        const hashtags = places.map((indices) => ({ indices }));
        const segments = segmentsOf(text, { hashtags });
        expect(segments.map((segment) => segment.text).join('')).toBe(text);
        expect(segments.every((segment) => segment.text !== '')).toBe(true);
      }),
    );
  });

  it('takes entities that are not there for none', () => {
    expect(segmentsOf('plain', {})).toEqual([{ kind: 'text', text: 'plain' }]);
    expect(segmentsOf('', {})).toEqual([]);
  });

  it('knows the web, and the domain of a URL', () => {
    expect([webUrl(null), webUrl(''), webUrl('tea'), webUrl('ftp://tea.example')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect([domainOf('https://www.tea.example/a?b'), domainOf('tea')]).toEqual(['tea.example', 'tea']);
  });
});

describe('how long a poll is open', () => {
  it.each([
    [3 * 86_400_000 + 5, '3 days left'],
    [86_400_000, '1 day left'],
    [86_399_999, '23 hours left'],
    [3_600_000, '1 hour left'],
    [3_599_999, '59 minutes left'],
    [60_000, '1 minute left'],
    [59_999, 'Less than a minute left'],
    [1, 'Less than a minute left'],
  ])('%d ms: %s', (ms, text) => expect(timeLeft(ms)).toBe(text));
});

const NOW = new Date('2026-11-22T12:00:00Z');
/** Tells which medium was asked for. */
const show: ShowMedia = (key, poster) => ({ kind: 'gone', alt: `${key}${poster ? ` behind ${poster}` : ''}` });
const named = (alt: string) => ({ kind: 'gone', alt });

const card = (kind: CardKind, content: object, rest: Partial<Row<Card>> = {}): Row<Card> => ({
  id: '1',
  createdAt: NOW.toISOString(),
  updatedAt: NOW.toISOString(),
  deletedAt: null,
  accountId: 'a',
  kind,
  cardType: 'IMAGE_WEBSITE',
  name: 'A card',
  content,
  mediaKeys: [],
  endsAt: null,
  ...rest,
});

describe('the cards of previews', () => {
  const website = { type: 'WEBSITE', url: 'https://www.tea.example/now' };
  const details = { type: 'DETAILS', title: 'Tea', destination: website };
  const shownDetails = { kind: 'website', href: 'https://www.tea.example/now', domain: 'tea.example', title: 'Tea' };

  it('lead to a lead form, which has no address', () => {
    const destination = { type: 'LEAD_FORM', id: '0199c0de-0000-7000-8000-000000000000' };
    const label = { type: 'ENUM', value: 'BOOK' };
    for (const [last, title] of [
      [{ type: 'DETAILS', title: 'Tea', destination }, 'Tea'],
      [{ type: 'BUTTON', label, destination }, 'Book'],
    ] as const) {
      const components = [{ type: 'MEDIA', media_key: '3_1' }, last];
      const shown = shownCard(card('COMPONENTS', { components }), show, NOW);
      expect(shown).toMatchObject({ slide: { destination: { kind: 'website', domain: 'Form', title } } });
      expect(JSON.stringify(shown)).not.toContain('href');
    }
  });

  it('lead to a website', () => {
    const components = [{ type: 'MEDIA', media_key: '3_1' }, details];
    expect(shownCard(card('COMPONENTS', { components }), show, NOW)).toEqual({
      kind: 'single',
      slide: { media: named('3_1'), destination: shownDetails },
    });
  });

  it('lead to an app in the stores that they name', () => {
    const shown = (destination: object) => {
      const button = { type: 'BUTTON', label: { type: 'ENUM', value: 'INSTALL' }, destination };
      const components = [{ type: 'MEDIA', media_key: '3_1' }, button];
      const found = shownCard(card('COMPONENTS', { components }), show, NOW);
      return found.kind === 'single' ? found.slide.destination : undefined;
    };
    const apple = { name: 'App Store', id: '123', href: 'https://apps.apple.com/us/app/id123' };
    const google = {
      name: 'Google Play',
      id: 'com.tea',
      href: 'https://play.google.com/store/apps/details?id=com.tea&gl=US',
    };
    expect(
      shown({ type: 'APP', country_code: 'US', ios_app_store_identifier: '123', googleplay_app_id: 'com.tea' }),
    ).toEqual({ kind: 'app', label: 'Install', href: apple.href, stores: [apple, google] });
    expect(shown({ type: 'APP', country_code: 'US', googleplay_app_id: 'com.tea' })).toMatchObject({
      href: google.href,
      stores: [google],
    });
  });

  it('swipe to one destination, or to as many as there are slides', () => {
    const one = { components: [{ type: 'SWIPEABLE_MEDIA', media_keys: ['3_2', '3_1'] }, details] };
    expect(shownCard(card('COMPONENTS', one), show, NOW)).toEqual({
      kind: 'carousel',
      slides: [{ media: named('3_2') }, { media: named('3_1') }],
      destination: shownDetails,
    });
    const several = {
      slides: [
        [{ type: 'MEDIA', media_key: '3_1' }, details],
        [
          { type: 'MEDIA', media_key: '7_2' },
          { ...details, title: 'Cups' },
        ],
      ],
    };
    expect(shownCard(card('COMPONENTS', several), show, NOW)).toEqual({
      kind: 'carousel',
      slides: [
        { media: named('3_1'), destination: shownDetails },
        { media: named('7_2'), destination: { ...shownDetails, title: 'Cups' } },
      ],
    });
  });

  const conversation = {
    title: null,
    ctas: [{ hashtag: '#Green', post: 'I take green' }],
    thank_you_text: 'Thanks',
    thank_you_url: null,
    media_key: '7_1',
    poster_media_key: '3_9',
    unlocked_image_media_key: '3_2',
    unlocked_video_media_key: null,
  };

  it('begin a conversation, with the poster that they have chosen', () => {
    const shown = shownCard(card('VIDEO_CONVERSATION', conversation), show, NOW);
    expect(shown).toMatchObject({
      media: named('7_1 behind 3_9'),
      thanks: { text: 'Thanks' },
      unlocked: [named('3_2')],
    });
    const thanks = { ...conversation, thank_you_url: 'https://tea.example/x' };
    expect(shownCard(card('VIDEO_CONVERSATION', thanks), show, NOW)).toMatchObject({
      thanks: { text: 'Thanks', href: 'https://tea.example/x', domain: 'tea.example' },
    });
  });

  it('are polls, open until they end', () => {
    const content = { choices: ['Tea', 'Coffee'], duration_in_minutes: 10, media_key: null };
    const at = (endsAt: string) => shownCard(card('POLL', content, { endsAt }), show, NOW);
    expect(at('2026-11-22T12:05:30Z')).toMatchObject({ open: true, end: '5 minutes left', choices: ['Tea', 'Coffee'] });
    expect(at('2026-11-22T12:00:00Z')).toMatchObject({ open: false, end: 'Final results' });
    expect(at('2026-11-22T12:00:00Z')).not.toHaveProperty('media');
    expect(shownCard(card('POLL', { ...content, media_key: '3_1' }), show, NOW)).toMatchObject({ media: named('3_1') });
  });

  it('name all media that are to be read for them', () => {
    expect(mediaOfCard(card('VIDEO_CONVERSATION', conversation))).toEqual(['7_1', '3_9', '3_2']);
    const framed = { ...conversation, poster_media_key: null };
    expect(mediaOfCard(card('VIDEO_CONVERSATION', framed))).toEqual(['7_1', '3_1', '3_2']);
    expect(shownCard(card('VIDEO_CONVERSATION', framed), show, NOW)).toMatchObject({ media: named('7_1 behind 3_1') });
    expect(mediaOfCard(card('POLL', { choices: [], media_key: '3_1' }))).toEqual(['3_1']);
    expect(mediaOfCard(card('POLL', { choices: [], media_key: null }))).toEqual([]);
    expect(mediaOfCard(card('COMPONENTS', {}, { mediaKeys: ['3_1', '3_2'] }))).toEqual(['3_1', '3_2']);
  });
});

describe('the media of previews', () => {
  const stored = {
    mediaType: 'VIDEO',
    contentType: 'video/mp4',
    file: 'a.mp4',
    posterFile: 'a.jpg',
    width: 16,
    height: 9,
    title: null,
    description: null,
    name: null,
  } as const;
  const urlOf = (file: string) => `media/${file}`;

  it('have the poster of the card, then that of the library', () => {
    expect(shownMedia(stored, urlOf)).toMatchObject({ kind: 'video', url: 'media/a.mp4', poster: 'media/a.jpg' });
    expect(shownMedia(stored, urlOf, 'b.jpg')).toMatchObject({ poster: 'media/b.jpg' });
    expect(shownMedia({ ...stored, mediaType: 'GIF' }, urlOf)).not.toHaveProperty('poster');
  });

  it('say what they are to whoever does not see them', () => {
    expect(shownMedia(stored, urlOf).alt).toBe('Video');
    const named = { ...stored, mediaType: 'IMAGE', name: 'cup-final-2', description: 'A cup of tea' } as const;
    expect(shownMedia(named, urlOf).alt).toBe('Image: A cup of tea');
    expect(shownMedia({ ...named, description: null }, urlOf).alt).toBe('Image: cup-final-2');
  });

  it('leave a mark where there are none', () => {
    expect(shownMedia(undefined, urlOf)).toEqual({ kind: 'gone', alt: 'Media that no longer exists' });
  });
});

describe('a post in a preview', () => {
  const post: StoredPost = {
    id: '1',
    postType: 'PUBLISHED',
    accountId: 'a',
    authorId: '77',
    text: 'Hello',
    entities: null,
    nullcast: true,
    cardId: null,
    dynamicProductAd: false,
    mediaKeys: [],
    inReplyToUserId: null,
    repostedById: null,
    conversationSettings: 'EVERYONE',
    video: { title: 'A title', description: null, cta: 'WATCH_NOW', url: 'https://tea.example/' },
    stage: { kind: 'published', at: '2026-12-01T18:05:00Z' },
  };
  const around: PreviewContext = {
    author: { id: '77', name: 'ada', username: 'ada_l' },
    media: [],
    timezone: 'America/Los_Angeles',
    entitiesOf: () => ({}),
  };
  const video = {
    kind: 'video',
    url: 'u',
    contentType: 'video/mp4',
    width: 1600,
    height: 900,
    alt: 'Video',
  } as const;
  const image = { ...video, kind: 'image' } as const;

  it('tells its time in the timezone of the account', () => {
    expect(shownPost(post, around).stage).toEqual({
      text: '',
      at: '2026-12-01T18:05:00Z',
      time: 'Dec 1, 2026, 10:05 AM PST',
    });
    expect(timeIn('Europe/Berlin', '2026-07-01T22:05:00Z')).toBe('Jul 2, 2026, 12:05 AM GMT+2');
  });

  it.each([
    [{ kind: 'draft' as const }, { text: 'Draft, not published' }],
    [{ kind: 'scheduled' as const, at: '2026-12-01T18:05:00Z' }, { text: 'Scheduled for' }],
    [
      { kind: 'failed' as const, at: '2026-12-01T18:05:00Z', why: 'INVALID_MEDIA: gone' },
      { text: 'Was not published at', failure: 'INVALID_MEDIA: gone' },
    ],
  ])('says how far it has come: %j', (stage, shown) => {
    expect(shownPost({ ...post, stage }, around).stage).toMatchObject(shown);
  });

  it('shows the card and not the media where it has both', () => {
    const shown = shownPost(post, { ...around, media: [image], card: { kind: 'gone' } });
    expect([shown.media, shown.card]).toEqual([[], { kind: 'gone' }]);
  });

  it('shows title and button with a video alone', () => {
    expect(shownPost(post, { ...around, media: [video] }).video).toEqual({
      title: 'A title',
      description: null,
      label: 'Watch now',
      href: 'https://tea.example/',
    });
    expect(shownPost(post, { ...around, media: [image] })).not.toHaveProperty('video');
    const untitled = { ...post, video: { title: null, description: null, cta: null, url: null } };
    expect(shownPost(untitled, { ...around, media: [video] })).not.toHaveProperty('video');
  });

  it('says who may reply where not everybody may', () => {
    expect(shownPost(post, around)).not.toHaveProperty('replies');
    expect(shownPost({ ...post, conversationSettings: 'MENTIONED_USERS' }, around).replies).toBe(
      'People @ada_l mentioned can reply',
    );
    expect(shownPost({ ...post, conversationSettings: 'FOLLOWING' }, around).replies).toContain('follows');
  });

  it('gives everybody an initial and a color, whatever they are called', () => {
    const authorOf = (name: string) => shownPost(post, { ...around, author: { id: '77', name, username: 'x' } }).author;
    expect(authorOf('ada').initial).toBe('A');
    expect(authorOf('👩‍👩‍👧 family').initial).toBe('👩‍👩‍👧');
    expect(authorOf('').initial).toBe('X');
    expect(authorOf('  ').initial).toBe('?');
    expect(authorOf('ada').hue).toBe((77 * 137) % 360);
    expect(shownPost(post, { ...around, author: undefined }).author.name).toBe('Unknown');
  });

  it('needs its media in the library until it is live', () => {
    const at = '2026-12-01T18:05:00Z';
    const stages = [
      { kind: 'draft' },
      { kind: 'scheduled', at },
      { kind: 'failed', at },
      { kind: 'published', at },
    ] as const;
    expect(stages.map((stage) => needsLibrary({ ...post, stage }))).toEqual([true, true, true, false]);
  });

  it('is framed the higher the more there is of it', () => {
    const height = (text: string, rest: Partial<PreviewContext> = {}) =>
      heightOf(shownPost({ ...post, text }, { ...around, ...rest }));
    const short = height('Hello');
    expect(height('Hello '.repeat(40))).toBeGreaterThan(short);
    expect(height('一'.repeat(100))).toBeGreaterThan(height('i'.repeat(100)));
    expect(height('a\nb\nc')).toBeGreaterThan(short);
    expect(height('W'.repeat(280))).toBeGreaterThan(height('i'.repeat(280)) + 100);
    expect(height(`e${'\u0301'.repeat(200)} 👩${'\u200d👩'.repeat(3)}`)).toBe(short);
    expect(height(`${'W'.repeat(30)} ${'W'.repeat(30)}`)).toBe(height('a\nb'));
    expect(height(`https://tea.example/${'x'.repeat(500)}`)).toBe(short);
    expect(height('Hello', { media: [image] })).toBeGreaterThan(short + 250);
    // 550 pixels without borders and padding of the post
    const whole = height('Hello', { media: [{ ...image, width: 1_000, height: 500 }] }) - short;
    expect(Math.abs(whole - 514 / 2 - 14)).toBeLessThan(4);
    expect(height('Hello', { media: [{ ...image, height: 90_000 }] })).toBeLessThan(short + 600);
    expect(height('Hello', { card: { kind: 'gone' } })).toBeGreaterThan(short + 50);
    const called = (name: string) => height('Hello', { author: { id: '77', name, username: 'x' } });
    expect(called('W'.repeat(50))).toBeGreaterThan(called('ada'));
  });

  it('is framed by the pixels that the stylesheet gives each part', () => {
    const height = (changes: Partial<StoredPost>, rest: Partial<PreviewContext> = {}) =>
      heightOf(shownPost({ ...post, ...changes }, { ...around, ...rest }));
    // frame, author, a line of text, time and buttons
    const plain = height({});
    expect(plain).toBe(Math.ceil(26 + 54 + 23.2 + 72));
    expect(height({ text: 'a\nb\nc' })).toBe(Math.ceil(26 + 54 + 3 * 23.2 + 72));
    expect(height({ conversationSettings: 'MENTIONED_USERS' })).toBe(plain + 8 + 21);
    expect(height({}, { repostedBy: { name: 'bob', username: 'bob' } })).toBe(plain + 21);
    expect(height({}, { replyingTo: { username: 'bob' } })).toBe(plain + 21);
    expect(height({}, { media: [image] })).toBe(Math.ceil(175.2 + 12 + 2 + (514 * 9) / 16));
    const play = height({ video: { ...post.video, title: null } }, { media: [video] });
    expect(play).toBe(height({}, { media: [image] }) + 23 + 35);
    // 484 pixels wide beside its padding, where no button is
    const titled = (title: string) => height({ video: { ...post.video, title, url: null } }, { media: [video] });
    expect(titled('n'.repeat(46))).toBe(titled('n'.repeat(45)) + 21);
    expect(height({}, { card: { kind: 'gone' } })).toBe(Math.ceil(175.2 + 12 + 54 + 22.5));
    expect(height({}, { card: { kind: 'note', text: 'A\nB' } })).toBe(Math.ceil(175.2 + 12 + 54 + 2 * 22.5));
  });

  it('is framed as high as the highest slide of its carousel, with its own title', () => {
    const of = (...slides: [height: number, title: string][]) =>
      heightOf(
        shownPost(post, {
          ...around,
          card: {
            kind: 'carousel',
            slides: slides.map(([height, title]) => ({
              media: { ...image, height },
              destination: { kind: 'website', domain: 'tea.example', title },
            })),
          },
        }),
      );
    expect(of([400, 'Tea'], [1600, 'Tea'])).toBe(of([1600, 'Tea']));
    expect(of([400, 'Tea'], [1600, 'W'.repeat(70)])).toBe(of([1600, 'W'.repeat(70)]));
    expect(of([400, 'W'.repeat(70)], [1600, 'Tea'])).toBe(of([1600, 'Tea']));
  });
});
