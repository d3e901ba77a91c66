import 'reflect-metadata';
import fc from 'fast-check';
import { readParams } from '../../../src/common/http/params/params.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import type { Component, ComponentsContent } from '../../../src/creatives/card-content/card-content.js';
import {
  cardTypeOf,
  contentAfter,
  mediaOf,
  newCard,
  problemsOfNewCard,
} from '../../../src/creatives/cards/card.rules.js';
import { CreateCard } from '../../../src/creatives/cards/cards.dto.js';

const media = (media_key = '3_1') => ({ type: 'MEDIA', media_key }) as const;
const swipeable = (...media_keys: string[]) => ({ type: 'SWIPEABLE_MEDIA', media_keys }) as const;
const website = (url = 'https://example.com/a') => ({ type: 'WEBSITE', url }) as const;
const details = (rest: object = {}) => ({ type: 'DETAILS', title: 'T', destination: website(), ...rest });
const app = (rest: object = {}) => ({ type: 'APP', country_code: 'US', googleplay_app_id: 'com.example.a', ...rest });
const button = (destination: object = app(), rest: object = {}) => ({
  type: 'BUTTON',
  label: { type: 'ENUM', value: 'SHOP' },
  destination,
  ...rest,
});

/** What is wrong with a card, as `CODE parameter`. */
const problems = (content: object) =>
  readParams(CreateCard, { name: 'Card', ...content }).refused?.errors.map(
    ({ code, detail }) => `${code} ${detail.parameter}`,
  ) ?? [];

describe('the components of a card', () => {
  it.each<[string, unknown, string[]]>([
    ['an image and where it leads', [media(), details()], []],
    ['media to swipe through', [swipeable('3_1', '7_2'), button()], []],
    ['nothing', [], ['MISSING_PARAMETER components[0]', 'MISSING_PARAMETER components[1]']],
    ['media alone', [media()], ['MISSING_PARAMETER components[1]']],
    ['a third component', [media(), details(), button()], ['INVALID_PARAMETER components']],
    [
      'the wrong order',
      [details(), media()],
      ['INVALID_PARAMETER components[0].type', 'INVALID_PARAMETER components[1].type'],
    ],
    ['two media components', [media(), media()], ['INVALID_PARAMETER components[1].type']],
    ['no type', [{ media_key: '3_1' }, details()], ['MISSING_PARAMETER components[0].type']],
    ['no component', [7, null], ['INVALID_PARAMETER components[0]', 'INVALID_PARAMETER components[1]']],
    ['no media key', [{ type: 'MEDIA' }, details()], ['MISSING_PARAMETER components[0].media_key']],
    ['another key', [media('1_1'), details()], ['INVALID_PARAMETER components[0].media_key']],
    ['one medium to swipe', [swipeable('3_1'), details()], ['INVALID_PARAMETER components[0].media_keys']],
    [
      'seven media to swipe',
      [swipeable('3_1', '3_2', '3_3', '3_4', '3_5', '3_6', '3_7'), details()],
      ['INVALID_PARAMETER components[0].media_keys'],
    ],
    [
      'faulty media to swipe',
      [swipeable('3_1', 'x', '3_3', ''), details()],
      ['INVALID_PARAMETER components[0].media_keys[1]', 'INVALID_PARAMETER components[0].media_keys[3]'],
    ],
    ['a label of details', [media(), details({ label: { type: 'ENUM' } })], ['INVALID_PARAMETER components[1].label']],
    [
      'an app in details',
      [media(), details({ destination: app() })],
      ['INVALID_PARAMETER components[1].destination.type'],
    ],
    ['a website in a button', [media(), button(website())], ['INVALID_PARAMETER components[1].destination.type']],
    ['details without anything', [media(), { type: 'DETAILS' }], titleAndDestination()],
    ['an empty title', [media(), details({ title: '' })], ['INVALID_PARAMETER components[1].title']],
    ['a title of 70', [media(), details({ title: 'x'.repeat(70) })], []],
    ['a title of 71', [media(), details({ title: 'x'.repeat(71) })], ['INVALID_PARAMETER components[1].title']],
    [
      'a button without a label',
      [media(), button(app(), { label: undefined })],
      ['MISSING_PARAMETER components[1].label'],
    ],
    [
      'another label',
      [media(), button(app(), { label: { type: 'ENUM', value: 'BUY' } })],
      ['INVALID_PARAMETER components[1].label.value'],
    ],
    [
      'a label of another type',
      [media(), button(app(), { label: { type: 'TEXT', value: 'SHOP' } })],
      ['INVALID_PARAMETER components[1].label.type'],
    ],
  ])('%s', (_, components, expected) => {
    expect(problems({ components })).toEqual(expected);
  });

  function titleAndDestination() {
    return ['MISSING_PARAMETER components[1].title', 'MISSING_PARAMETER components[1].destination'];
  }
});

describe('where a card leads', () => {
  const place = 'components[1].destination';
  it.each<[string, object, string[]]>([
    ['a country', app(), []],
    ['no country', app({ country_code: undefined }), [`MISSING_PARAMETER ${place}.country_code`]],
    ['no such country', app({ country_code: 'XX' }), [`INVALID_PARAMETER ${place}.country_code`]],
    ['a country in small letters', app({ country_code: 'us' }), [`INVALID_PARAMETER ${place}.country_code`]],
    ['three letters', app({ country_code: 'USA' }), [`INVALID_PARAMETER ${place}.country_code`]],
    ['no app', app({ googleplay_app_id: undefined }), [`MISSING_PARAMETER ${place}.googleplay_app_id`]],
    ['an empty app', app({ googleplay_app_id: '' }), [`MISSING_PARAMETER ${place}.googleplay_app_id`]],
    ['the other app', app({ googleplay_app_id: null, ios_app_store_identifier: '333903271' }), []],
    ['both apps with links', app({ ios_app_store_identifier: '1', ...links() }), []],
    ['a link into no app', app({ ios_deep_link: 'a://b' }), [`MISSING_PARAMETER ${place}.ios_app_store_identifier`]],
    [
      'links into no apps',
      app({ googleplay_app_id: undefined, ...links() }),
      [`MISSING_PARAMETER ${place}.googleplay_app_id`, `MISSING_PARAMETER ${place}.ios_app_store_identifier`],
    ],
    ['no package', app({ googleplay_app_id: 'shop' }), [`INVALID_PARAMETER ${place}.googleplay_app_id`]],
    [
      'no identifier',
      app({ ios_app_store_identifier: 'id333903271' }),
      [`INVALID_PARAMETER ${place}.ios_app_store_identifier`],
    ],
    ...[
      'javascript:1',
      'javascript://%0aalert(1)',
      'vbscript://x',
      'file:///etc/passwd',
      'data://text/html,x',
      'a://b\\@c',
    ].map((link): [string, object, string[]] => [
      link,
      app({ googleplay_deep_link: link }),
      [`INVALID_PARAMETER ${place}.googleplay_deep_link`],
    ]),
  ])('an app: %s', (_, destination, expected) => {
    expect(problems({ components: [media(), button(destination)] })).toEqual(expected);
  });

  function links() {
    return { googleplay_deep_link: 'shop://offers/1', ios_deep_link: 'https://example.com/app' };
  }

  it.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTP://Example.com:8080', 'HTTP://Example.com:8080/'],
    ['https://example.com/', 'https://example.com/'],
    ['https://example.com/a', 'https://example.com/a'],
    ['https://example.com?b=1', 'https://example.com?b=1'],
    ['https://bücher.example', 'https://bücher.example/'],
  ])('the website %s', (url, kept) => {
    const { params } = readParams(CreateCard, {
      name: 'Card',
      components: [media(), details({ destination: website(url) })],
    });
    expect(params!.components![1]).toMatchObject({ destination: { type: 'WEBSITE', url: kept } });
  });

  it.each([
    '',
    'example.com',
    '//example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'https://',
    'https://a b/',
    'https://u:p@example.com/',
    'https://evil.example\\@example.com',
    'https:///example.com',
    'https://0x7f.1/',
  ])('not the website "%s"', (url) => {
    const components = [media(), details({ destination: website(url) })];
    expect(problems({ components })).toEqual([`INVALID_PARAMETER ${place}.url`]);
  });
});

describe('the slides of a card', () => {
  const slide = [media(), details()];
  it.each<[string, unknown, string[]]>([
    ['two', [slide, slide], []],
    ['six', Array(6).fill(slide), []],
    ['one', [slide], ['INVALID_PARAMETER slides']],
    ['seven', Array(7).fill(slide), ['INVALID_PARAMETER slides']],
    ['swipeable media', [slide, [swipeable('3_1', '3_2'), details()]], ['INVALID_PARAMETER slides']],
    ['a button', [slide, [media(), button()]], ['INVALID_PARAMETER slides']],
    ['no such component', [slide, [media(), { type: 'FOO' }]], ['INVALID_PARAMETER slides[1][1].type']],
    ['a component', [slide, media()], ['INVALID_PARAMETER slides[1]']],
    ['half a slide', [slide, [media()]], ['MISSING_PARAMETER slides[1][1]']],
    [
      'faults in several',
      [
        [media('x'), details()],
        [media(), details({ destination: website('x') })],
      ],
      ['INVALID_PARAMETER slides[0][0].media_key', 'INVALID_PARAMETER slides[1][1].destination.url'],
    ],
  ])('%s', (_, slides, expected) => {
    expect(problems({ slides })).toEqual(expected);
  });

  it('and components are exclusive, and one of them is needed', () => {
    expect(problems({ components: [media(), details()], slides: [slide, slide] })).toEqual([
      'EXCLUSIVE_PARAMETERS slides',
    ]);
    for (const nothing of [{}, { components: null }, { slides: '' }]) {
      const { params } = readParams(CreateCard, { name: 'Card', ...nothing });
      const found = problemsOfNewCard(Parsed.complete(params!), { account: { id: 'a' }, library: new Map() });
      expect(found.map(({ code, detail }) => [code, detail.parameter])).toEqual([['MISSING_PARAMETER', 'components']]);
    }
  });
});

describe('whatever is sent', () => {
  const types = ['MEDIA', 'SWIPEABLE_MEDIA', 'DETAILS', 'BUTTON'] as const;
  const whole: Record<(typeof types)[number], object> = {
    MEDIA: media(),
    SWIPEABLE_MEDIA: swipeable('3_1', '7_2'),
    DETAILS: details(),
    BUTTON: button(),
  };

  it('is a card exactly if it is a media component and then one that leads somewhere', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...types), { maxLength: 4 }), (sequence) => {
        const isCard = /^(MEDIA|SWIPEABLE_MEDIA) (DETAILS|BUTTON)$/.test(sequence.join(' '));
        expect(problems({ components: sequence.map((type) => whole[type]) }).length === 0).toBe(isCard);
      }),
    );
  });

  it('is slides exactly if there are 2 to 6, each of media and details', () => {
    const slide = fc.array(fc.constantFrom(...types), { minLength: 1, maxLength: 3 });
    const right = fc.constant<(typeof types)[number][]>(['MEDIA', 'DETAILS']);
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 6, arbitrary: right }, slide), { maxLength: 8 }), (slides) => {
        const areSlides =
          slides.length >= 2 && slides.length <= 6 && slides.every((each) => each.join(' ') === 'MEDIA DETAILS');
        const sent = slides.map((each) => each.map((type) => whole[type]));
        expect(problems({ slides: sent }).length === 0).toBe(areSlides);
      }),
    );
  });

  it('is read, or refused with places inside of the parameter', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom('components', 'slides'), (value, name) => {
        for (const problem of problems({ [name]: value })) {
          expect(problem).toMatch(new RegExp(`^(INVALID|MISSING)_PARAMETER ${name}`));
        }
      }),
    );
  });

  it('comes back as it was sent, with nothing that answers add', () => {
    const shown = [
      { ...media(), media_metadata: { '3_1': { type: 'IMAGE' } }, anything: 1 },
      { ...details(), destination: { ...website(), tco_url: null } },
    ];
    expect(readParams(CreateCard, { name: 'Card', components: shown }).params!.components).toStrictEqual([
      media(),
      details(),
    ]);
  });
});

describe('the type of a card', () => {
  const lead = details() as Component;
  const install = button() as Component;
  const asSlides = (...keys: string[]): ComponentsContent => ({ slides: keys.map((key) => [media(key), lead]) });
  const single = (key: string, last: Component): ComponentsContent => ({ components: [media(key), last] });
  const swipe = (keys: string[], last: Component): ComponentsContent => ({
    components: [{ type: 'SWIPEABLE_MEDIA', media_keys: keys }, last],
  });

  it.each<[string, ComponentsContent]>([
    ['IMAGE_APP', single('3_1', install)],
    ['IMAGE_WEBSITE', single('3_1', lead)],
    ['VIDEO_APP', single('7_1', install)],
    ['VIDEO_APP', single('13_1', install)],
    ['VIDEO_WEBSITE', single('7_1', lead)],
    ['IMAGE_CAROUSEL_APP', swipe(['3_1', '3_2'], install)],
    ['IMAGE_CAROUSEL_WEBSITE', swipe(['3_1', '3_2'], lead)],
    ['VIDEO_CAROUSEL_APP', swipe(['7_1', '13_2'], install)],
    ['VIDEO_CAROUSEL_WEBSITE', swipe(['7_1', '7_2'], lead)],
    ['MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP', swipe(['7_1', '3_2'], install)],
    ['MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE', swipe(['3_1', '7_2'], lead)],
    ['IMAGE_MULTI_DEST_CAROUSEL_WEBSITE', asSlides('3_1', '3_1')],
    ['VIDEO_MULTI_DEST_CAROUSEL_WEBSITE', asSlides('7_1', '7_2')],
    ['MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE', asSlides('7_1', '3_2')],
  ])('%s', (type, content) => {
    expect(cardTypeOf(content)).toBe(type);
  });
});

describe('what a card becomes', () => {
  const components = [media(), details() as Component];
  const slides = [components, components];
  it.each<[string, Parameters<typeof contentAfter>[0], ComponentsContent | undefined, ComponentsContent | undefined]>([
    ['nothing sent', {}, { components }, { components }],
    ['slides for components', { slides }, { components }, { slides }],
    ['components for slides', { components }, { slides }, { components }],
    ['slides, and components unset', { slides, components: null }, { components }, { slides }],
    ['components unset', { components: null }, { components }, undefined],
    ['what it does not have unset', { slides: null }, { components }, { components }],
    ['nothing at all', {}, undefined, undefined],
  ])('%s', (_, sent, stored, expected) => {
    expect(contentAfter(sent, stored)).toEqual(expected);
  });

  it('keeps each medium once, in order', () => {
    const content: ComponentsContent = {
      slides: [[media('7_2'), components[1]], [media('3_1'), components[1]], slides[0]],
    };
    const card = newCard({ id: 'a' }, { name: 'Card', ...content });
    expect(card.mediaKeys).toEqual(['7_2', '3_1']);
    expect(mediaOf(content).map(({ parameter }) => parameter)).toEqual([
      'slides[0][0].media_key',
      'slides[1][0].media_key',
      'slides[2][0].media_key',
    ]);
  });
});
