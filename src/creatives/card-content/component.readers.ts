import { PACKAGE_NAME } from '../../common/package-name.js';
import { isISO31661Alpha2 } from 'class-validator';
import { invalid, missing } from '../../common/errors/catalogue.js';
import { expected, InvalidParts, InvalidValue } from '../../common/http/invalid-value.js';
import { readKinds, readList, readObject, readTuple } from '../../common/http/nested.js';
import { readOneOf, readText, type Reader } from '../../common/http/readers.js';
import { MEDIA_KEY } from '../media-files/media-key.js';
import { readDeepLink, readWebUrl } from '../web-url.js';
import {
  BUTTON_LABELS,
  type AppDestination,
  type ButtonLabel,
  type Component,
  type WebsiteDestination,
} from './card-content.js';

type ComponentOf<Type extends Component['type']> = Omit<Extract<Component, { type: Type }>, 'type'>;

/** How many media a swipeable component has, and how many slides there are. */
export const CAROUSEL = { min: 2, max: 6 };
export const MAX_TITLE_LENGTH = 70;

const MEDIA_KEY_MEMBER = readText({ min: 1, max: 100, matching: MEDIA_KEY });

/** Only BUTTON has a label. */
const NO_LABEL = {
  read: (_: unknown, name: string) =>
    new InvalidValue(`setting ${name} is not allowed`, undefined, 'only BUTTON has a label'),
  optional: true,
};

const readCountry: Reader<string> = (given, name) =>
  typeof given === 'string' && /^[A-Z]{2}$/.test(given) && isISO31661Alpha2(given)
    ? given
    : expected('a country in ISO 3166-1 alpha-2', given, name, 'two capital letters, such as US');

const readWebsite = readKinds<WebsiteDestination>({ WEBSITE: readObject({ url: { read: readWebUrl } }) });

type App = Omit<AppDestination, 'type'>;

const readApp = readKinds<AppDestination>({
  APP: readObject<App>(
    {
      country_code: { read: readCountry },
      googleplay_app_id: {
        read: readText({
          max: 255,
          matching: PACKAGE_NAME,
        }),
        optional: true,
      },
      ios_app_store_identifier: {
        read: readText({
          max: 20,
          matching: { pattern: /^[0-9]+$/, what: 'an App Store identifier such as 333903271' },
        }),
        optional: true,
      },
      googleplay_deep_link: { read: readDeepLink, optional: true },
      ios_deep_link: { read: readDeepLink, optional: true },
    },
    {
      needs: ['googleplay_app_id', 'googleplay_deep_link', 'ios_app_store_identifier', 'ios_deep_link'],
      check: appProblems,
    },
  ),
});

/** An app in at least one store, and deep links only into apps that are named. */
function appProblems(app: Partial<App>, name: string) {
  const { googleplay_app_id: google, ios_app_store_identifier: apple } = app;
  const needed = (id: keyof App, link: keyof App) => missing(`${name}.${id}`, `${link} needs it`);
  const problems = [
    ...(app.googleplay_deep_link !== undefined && google === undefined
      ? [needed('googleplay_app_id', 'googleplay_deep_link')]
      : []),
    ...(app.ios_deep_link !== undefined && apple === undefined
      ? [needed('ios_app_store_identifier', 'ios_deep_link')]
      : []),
  ];
  if (problems.length > 0 || google !== undefined || apple !== undefined) return problems;
  return [missing(`${name}.googleplay_app_id`, 'or ios_app_store_identifier: the app has to be in one store')];
}

const KINDS: { [Type in Component['type']]: Reader<ComponentOf<Type>> } = {
  MEDIA: readObject<ComponentOf<'MEDIA'>>({ media_key: { read: MEDIA_KEY_MEMBER }, ...without('label') }),
  SWIPEABLE_MEDIA: readObject<ComponentOf<'SWIPEABLE_MEDIA'>>({
    media_keys: { read: readList(MEDIA_KEY_MEMBER, CAROUSEL) },
    ...without('label'),
  }),
  DETAILS: readObject<ComponentOf<'DETAILS'>>({
    title: { read: readText({ min: 1, max: MAX_TITLE_LENGTH }) },
    destination: { read: readWebsite },
    ...without('label'),
  }),
  BUTTON: readObject<ComponentOf<'BUTTON'>>({
    label: { read: readKinds<Label>({ ENUM: readObject({ value: { read: readOneOf<ButtonLabel>(BUTTON_LABELS) } }) }) },
    destination: { read: readApp },
  }),
};

type Label = ComponentOf<'BUTTON'>['label'];

function without(name: 'label'): object {
  return { [name]: NO_LABEL };
}

/** One of these kinds of component. */
function componentOf<Type extends Component['type']>(...types: Type[]): Reader<Component> {
  const kinds = Object.fromEntries(types.map((type) => [type, KINDS[type]]));
  return readKinds<Component>(kinds as never);
}

/** One component with media comes first, then one that says where it leads. */
export const readComponents = readTuple<Component>([
  { read: componentOf('MEDIA', 'SWIPEABLE_MEDIA'), what: 'MEDIA or SWIPEABLE_MEDIA comes first' },
  { read: componentOf('DETAILS', 'BUTTON'), what: 'DETAILS or BUTTON comes after the media' },
]);

/** 2 to 6 slides, each of one medium and where it leads. */
export const readSlides = readList<Component[]>(
  readTuple<Component>([
    { read: inSlide('MEDIA'), what: 'MEDIA comes first' },
    { read: inSlide('DETAILS'), what: 'DETAILS comes after the media' },
  ]),
  CAROUSEL,
);

/** A component that only cards without slides can have is told of `slides`; the message says which it is. */
function inSlide(type: Component['type']): Reader<Component> {
  const read = componentOf(type);
  return (given, name) => {
    const sent = (given as { type?: unknown } | null)?.type;
    if (sent === type || typeof sent !== 'string' || !Object.hasOwn(KINDS, sent)) return read(given, name);
    const details = 'each slide has a MEDIA component and then a DETAILS component';
    return new InvalidParts([
      invalid('slides', `Expected a value in ${type}, got "${sent}" for ${name}.type`, { details, value: sent }),
    ]);
  };
}
