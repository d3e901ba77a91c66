/** Cards made of components: one with media, then one that leads somewhere; or slides, each of such two. */
import { expect } from '@jest/globals';
import * as fc from 'fast-check';
import type { Plain } from './plain.js';
import { hidden, invalid, like, missing, mostly, Reading, sending, text, word } from './reading.js';
import type { Field, Problem, RawParams, Table } from './reading.js';
import { isInLibrary, uploaded } from './uploads.js';
import type { Fields, ModelAccount } from './world.js';

/** A component, or what stands in it. */
type Part = { type: string; media_key?: string; media_keys?: string[]; [name: string]: unknown };

const key = like(/^\d+_\d+$/, ['WIDE', 'FILM', 'WIDE', 'FILM', 'UPLOAD'], '3_1', 'x');
const link = like(/^shop:\/\/.+$/, ['shop://offers/1'], 'javascript:alert(1)');
const STORES = { googleplay_app_id: 'googleplay_deep_link', ios_app_store_identifier: 'ios_deep_link' };

/** What parts say by their type, and the types of those that stand in them. */
const PARTS: Record<string, { said?: Table; parts?: Record<string, string> }> = {
  MEDIA: { said: { media_key: key } },
  SWIPEABLE_MEDIA: {},
  DETAILS: { said: { title: text(70, ['Tea', 'Größe ☃']) }, parts: { destination: 'WEBSITE' } },
  BUTTON: { parts: { label: 'ENUM', destination: 'APP' } },
  WEBSITE: { said: { url: like(/^https?:\/\/[^ ]+$/, ['https://example.com/tea'], 'ftp://example.com/') } },
  ENUM: { said: { value: word(['BOOK', 'SHOP']) } },
  APP: {
    said: {
      country_code: word(['US', 'DE']),
      googleplay_app_id: { ...hidden(like(/^\w+(\.\w+)+$/, ['com.example.shop'], 'shop')), isUsual: true },
      ios_app_store_identifier: hidden(like(/^\d{1,20}$/, ['333903271'], 'shop')),
      ...{ googleplay_deep_link: hidden(link), ios_deep_link: hidden(link) },
    },
  },
};
/** How many media a component has to swipe through, and how many slides there are. */
const isSome = (list: unknown[]) => list.length >= 2 && list.length <= 6;
const ORDER = [
  ['MEDIA', 'SWIPEABLE_MEDIA'],
  ['DETAILS', 'BUTTON'],
];
const IN_SLIDES = [['MEDIA'], ['DETAILS']];

const part = (types: string[]): fc.Arbitrary<Part> =>
  fc.constantFrom(...types).chain((type) => {
    const { said = {}, parts = {} } = PARTS[type];
    const inner = Object.entries(parts).map(([name, of]) => [name, part([of])]);
    const media = type === 'SWIPEABLE_MEDIA' && { media_keys: fc.array(key.draw, { minLength: 1, maxLength: 3 }) };
    return fc
      .tuple(sending(said, true), fc.record({ ...media, ...(Object.fromEntries(inner) as object) }))
      .map(([params, more]) => ({ type, ...params, ...more }) as Part);
  });
const inOrder = (order: string[][]) => fc.tuple(...order.map(part)).map((parts): unknown[] => parts);
const components = fc.oneof(
  { weight: 20, arbitrary: inOrder(ORDER) },
  { weight: 1, arbitrary: inOrder([...ORDER].reverse()) },
  { weight: 1, arbitrary: inOrder(ORDER.slice(0, 1)) },
);
const slides = fc.array(fc.oneof({ weight: 20, arbitrary: inOrder(IN_SLIDES) }, components), {
  ...{ minLength: 1, maxLength: 3, size: 'max' as const },
});

/** A text of JSON; what is empty in it is absent. */
const json = (drawing: fc.Arbitrary<unknown>, within: Field['within']): Field => {
  const texts = drawing.map((each) => JSON.stringify(each));
  const read = (raw: string) => JSON.parse(raw, (_, value: unknown) => (value === '' ? undefined : value)) as unknown;
  return hidden({ read, draw: mostly(texts, null), within });
};

export const COMPONENT_CARD: Plain = {
  fits: true,
  said: {
    name: text(80),
    components: {
      ...json(components, (raw) => flawsOfAll(JSON.parse(raw) as Part[], 'components', ORDER)),
      isUsual: true,
    },
    slides: json(slides, (raw) => flawsOfSlides(JSON.parse(raw) as Part[][])),
  },
  rule: (read, { components, slides }) => {
    if (components && slides) read.blame(['EXCLUSIVE_PARAMETERS', 'slides']);
  },
  check: (read, fields, { account }, old) => {
    if (!read.knows('components', 'slides')) return;
    const sent = ['components', 'slides'].find((name) => read.has(name) && fields[name]);
    // those that are sent replace the others, and of both the components are judged
    if (sent) fields[sent === 'slides' ? 'components' : 'slides'] = undefined;
    if (!fields.components && !fields.slides) return read.blame(missing('components'));
    const kept = old ? keysOf(old.fields) : [];
    for (const { place, keys } of mediaOf(fields))
      keys.forEach((each, at) => {
        const name = keys.length > 1 ? `${place}.media_keys[${at}]` : `${place}.media_key`;
        if (keys.indexOf(each) < at) read.blame(['INVALID_MEDIA', name]);
        else if (!kept.includes(each)) for (const code of faultsOf(account, each)) read.blame([code, name]);
      });
    fields.card_type = typeOf(fields, account);
  },
  shown: ({ id, fields }, account) => ({
    card_uri: `card://${id}`,
    ...(fields.components ? { components: (fields.components as Part[]).map((each) => shownIn(account, each)) } : {}),
    ...(fields.slides
      ? { slides: (fields.slides as Part[][]).map((slide) => slide.map((each) => shownIn(account, each))) }
      : {}),
  }),
};

/** What is wrong with a part at its place, and with the parts in it. */
function flawsOf(given: Part | undefined, place: string, types: string[]): Problem[] {
  if (!given) return [missing(place)];
  if (!types.includes(given.type)) return [invalid(`${place}.type`)];
  const { said = {}, parts = {} } = PARTS[given.type];
  const read = new Reading(given as RawParams, false);
  read.all(said);
  if (given.type === 'APP' && read.knows(...Object.entries(STORES).flat())) {
    const has = (name: string) => read.has(name) && given[name] !== '';
    const lacking = Object.entries(STORES).filter(([id, deepLink]) => has(deepLink) && !has(id));
    for (const [id] of lacking) read.blame(missing(id));
    if (lacking.length === 0 && !Object.keys(STORES).some(has)) read.blame(missing('googleplay_app_id'));
  }
  const { media_keys: keys = ['1_1', '1_2'] } = given;
  keys.forEach((each, at) => key.read(each) ?? read.blame(invalid(`media_keys[${at}]`)));
  if (read.problems.length === 0 && !isSome(keys)) read.blame(invalid('media_keys'));
  const own = read.problems.map(([code, name]): Problem => [code, `${place}.${name}`]);
  const inner = Object.entries(parts).flatMap(([name, of]) => flawsOf(given[name] as Part, `${place}.${name}`, [of]));
  return [...own, ...inner];
}
const flawsOfAll = (given: Part[], place: string, order: string[][]): Problem[] =>
  order.flatMap((types, at) => flawsOf(given[at], `${place}[${at}]`, types));
function flawsOfSlides(given: Part[][]): Problem[] {
  if (!isSome(given)) return [invalid('slides')];
  return given.flatMap((slide, at) =>
    flawsOfAll(slide, `slides[${at}]`, IN_SLIDES).map(
      // which types there are in slides is a matter of all of them
      ([code, name]): Problem => (name.endsWith('].type') ? invalid('slides') : [code, name]),
    ),
  );
}

const keysIn = ({ media_key, media_keys = media_key ? [media_key] : [] }: Part): string[] => media_keys;
/** The media of a card, each with the place of its component. */
const mediaOf = ({ components: one, slides: all }: Fields) =>
  [
    ...((one ?? []) as Part[]).map((each, at) => ({ place: `components[${at}]`, keys: keysIn(each) })),
    ...((all ?? []) as Part[][]).flatMap((slide, at) =>
      slide.map((each, i) => ({ place: `slides[${at}][${i}]`, keys: keysIn(each) })),
    ),
  ].filter(({ keys }) => keys.length > 0);
const keysOf = (fields: Fields) => mediaOf(fields).flatMap(({ keys }) => keys);

/** What is wrong with a medium: it is of the library, and a video, or an image that is wide enough, square or 1.91 to 1. */
function faultsOf(account: ModelAccount, media_key: string): string[] {
  const media = uploaded(account, media_key);
  if (!media || !isInLibrary(account, media_key)) return ['INVALID_MEDIA_ID'];
  if (media.media_type === 'VIDEO') return [];
  if (media.media_type !== 'IMAGE') return ['INVALID_MEDIA'];
  const ratio = media.width! / media.height!;
  return [media.width! < 800, ratio !== 1 && ratio !== 1_200 / 628].filter(Boolean).map(() => 'INVALID_MEDIA');
}

function typeOf(fields: Fields, account: ModelAccount): string {
  const types = new Set(keysOf(fields).map((each) => uploaded(account, each)?.media_type));
  const mix = types.size > 1 ? 'MIXED_MEDIA' : [...types][0];
  if (fields.slides) return `${mix}_MULTI_DEST_CAROUSEL_WEBSITE`;
  const [media, target] = fields.components as Part[];
  const end = target.type === 'BUTTON' ? 'APP' : 'WEBSITE';
  if (media.type === 'MEDIA') return `${mix}_${end}`;
  return types.size > 1 ? `${mix}_SINGLE_DEST_CAROUSEL_${end}` : `${mix}_CAROUSEL_${end}`;
}

/** Answers say of media what they are, and that a website has no short link. */
function shownIn(account: ModelAccount, given: Part): Part {
  const keys = keysIn(given);
  const metadata = keys.map((each) => {
    const { media_type: type, width, height } = uploaded(account, each)!;
    return [each, expect.objectContaining(type === 'IMAGE' ? { type, width, height } : { type })];
  });
  const destination = given.destination as Part | undefined;
  return {
    ...given,
    ...(keys.length > 0 && { media_metadata: Object.fromEntries(metadata) as object }),
    ...(destination?.type === 'WEBSITE' && { destination: { ...destination, tco_url: null } }),
  };
}
