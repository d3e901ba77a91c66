import { isISO31661Alpha2 } from 'class-validator';
import { invalid, missing } from '../../common/errors/catalogue.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import { Field, jsonArray, OneOf, PACKAGE_NAME, Text, text, Uuid, word } from '../../common/http/params/fields.js';
import {
  Forbidden,
  ValidationProblem,
  nested,
  partByType,
  partList,
  partTuple,
  type Part,
} from '../../common/http/params/parts.js';
import { mediaKey, MediaKey } from '../media-files/media-key.field.js';
import { deepLink, WebUrl } from '../web-url.js';
import {
  BUTTON_LABELS,
  type AppDestination,
  type ButtonLabel,
  type LeadFormDestination,
  type WebsiteDestination,
} from './card-content.js';

/** Limits on the media of a swipeable component and on the number of slides. */
export const CAROUSEL = { min: 2, max: 6 };
export const MAX_TITLE_LENGTH = 70;

const only = (type: string) => OneOf([type]);
const NoLabel = () => Forbidden('only BUTTON has a label');

const isCountry = (code: string) => /^[A-Z]{2}$/.test(code) && isISO31661Alpha2(code);
const country = word('a country in ISO 3166-1 alpha-2', isCountry, { details: 'two capital letters, such as US' });

class Website implements WebsiteDestination {
  @only('WEBSITE') type: 'WEBSITE';
  @WebUrl() url: string;
}

class Form implements LeadFormDestination {
  @only('LEAD_FORM') type: 'LEAD_FORM';
  @Uuid() id: string;
}

const APP_STORE_ID = { pattern: /^[0-9]+$/, what: 'an App Store identifier such as 333903271' };
type Stores = Omit<AppDestination, 'type' | 'country_code'>;

/** Requires an app in at least one store, and an app for each deep link. */
function storeProblems(app: Stores, at: (name: string) => string) {
  const { googleplay_app_id: google, ios_app_store_identifier: apple } = app;
  const needed = (id: keyof Stores, link: keyof Stores) => missing(at(id), `${link} requires it`);
  const problems = [
    ...(app.googleplay_deep_link !== undefined && google === undefined
      ? [needed('googleplay_app_id', 'googleplay_deep_link')]
      : []),
    ...(app.ios_deep_link !== undefined && apple === undefined
      ? [needed('ios_app_store_identifier', 'ios_deep_link')]
      : []),
  ];
  if (problems.length > 0 || google !== undefined || apple !== undefined) return problems;
  return [missing(at('googleplay_app_id'), 'or ios_app_store_identifier: the app must be in at least one store')];
}

@Rule(['googleplay_app_id', 'googleplay_deep_link', 'ios_app_store_identifier', 'ios_deep_link'], storeProblems)
class App implements AppDestination {
  @only('APP') type: 'APP';
  @Field(country) country_code: string;
  @Field(text({ max: 255, matching: PACKAGE_NAME }), { absentIfEmpty: true }) googleplay_app_id?: string;
  @Field(text({ max: 20, matching: APP_STORE_ID }), { absentIfEmpty: true }) ios_app_store_identifier?: string;
  @Field(deepLink, { absentIfEmpty: true }) googleplay_deep_link?: string;
  @Field(deepLink, { absentIfEmpty: true }) ios_deep_link?: string;
}

class Label {
  @only('ENUM') type: 'ENUM';
  @OneOf(BUTTON_LABELS) value: ButtonLabel;
}

class Media {
  @only('MEDIA') type: 'MEDIA';
  @MediaKey() media_key: string;
  @NoLabel() label?: never;
}

class SwipeableMedia {
  @only('SWIPEABLE_MEDIA') type: 'SWIPEABLE_MEDIA';
  @Field(jsonArray(mediaKey, CAROUSEL)) media_keys: string[];
  @NoLabel() label?: never;
}

class Details {
  @only('DETAILS') type: 'DETAILS';
  @Text({ max: MAX_TITLE_LENGTH }) title: string;
  @Field(nested(partByType({ WEBSITE: Website, LEAD_FORM: Form }))) destination: Website | Form;
  @NoLabel() label?: never;
}

class Button {
  @only('BUTTON') type: 'BUTTON';
  @Field(nested(partByType({ ENUM: Label }))) label: Label;
  @Field(nested(partByType({ APP: App, LEAD_FORM: Form }))) destination: App | Form;
}

const KINDS = { MEDIA: Media, SWIPEABLE_MEDIA: SwipeableMedia, DETAILS: Details, BUTTON: Button };

/** A component of one of these types. */
const componentOf = (...types: (keyof typeof KINDS)[]): Part =>
  partByType(Object.fromEntries(types.map((type) => [type, KINDS[type]])));

/** One component with media, followed by one with a destination. */
export const components = partTuple(
  { part: componentOf('MEDIA', 'SWIPEABLE_MEDIA'), what: 'MEDIA or SWIPEABLE_MEDIA comes first' },
  { part: componentOf('DETAILS', 'BUTTON'), what: 'DETAILS or BUTTON comes after the media' },
);

/** 2 to 6 slides, each with one media item and a destination. */
export const slides = partList(
  partTuple(
    { part: inSlide('MEDIA'), what: 'MEDIA comes first' },
    { part: inSlide('DETAILS'), what: 'DETAILS comes after the media' },
  ),
  CAROUSEL,
);

/** Reports a component type that only cards without slides support; the message names `slides` and the type. */
function inSlide(type: keyof typeof KINDS): Part {
  const read = componentOf(type);
  return (given) => {
    const sent = (given as { type?: unknown } | null)?.type;
    if (sent === type || typeof sent !== 'string' || !Object.hasOwn(KINDS, sent)) return read(given);
    const details = 'each slide has a MEDIA component and then a DETAILS component';
    return new ValidationProblem((place) =>
      invalid('slides', `Expected a value in ${type}, got "${sent}" for ${place}.type`, { details, value: sent }),
    );
  };
}
