import { ApiExtraModels, ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { oneOfViews, schemaOf, schemaOfAny, Unescaped, WrittenAs } from '../../common/http/answers/responses.js';
import { reducedRatio } from '../aspect-ratio.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import { MEDIA_KEY } from '../media-files/media-key.js';
import { MEDIA_TYPES, type MediaType } from '../entities/media.entity.js';
import { BUTTON_LABELS, type ButtonLabel, type Component } from './card-content.js';
import { CAROUSEL, MAX_TITLE_LENGTH } from './component.parts.js';
import { MAX_URL_LENGTH } from '../web-url.js';

/** A medium as cards show it: what its library says, and where its file is. */
export interface ShownMedia {
  medium: Row<LibraryMedia>;
  url: string;
  /** Of the poster, which images do not have. */
  posterUrl: string | null;
  /** Of the first frame of a video; null unless a conversation card shows it without a poster. */
  firstFrameUrl: string | null;
}
/** The media that a card shows, by key; those that were taken out of the library included. */
export type ShownMediaByKey = ReadonlyMap<string, ShownMedia>;

/** How the document shows a media key. */
export const MEDIA_KEY_VIEW = { type: String, pattern: MEDIA_KEY.pattern.source } as const;

/** How the document shows a word that is always the same. */
export const only = (word: string) => ({ type: 'string', const: word }) as ApiPropertyOptions;

/** What is known of a medium that a card shows. */
export class MediaMetadataView {
  /** What it is. */
  @ApiProperty(enumSchema(MEDIA_TYPES)) @Unescaped() type: MediaType;
  /** Where its file is. */
  @ApiProperty() url: string;
  /** In pixels. */
  @ApiProperty({ type: 'integer' }) width: number;
  /** In pixels. */
  @ApiProperty({ type: 'integer' }) height: number;
  /** Of a video, in milliseconds. */
  @ApiProperty({ type: 'integer', required: false }) video_duration?: number;
  /** Of a video, such as `16:9`. */
  @ApiProperty({ required: false, example: '16:9' }) video_aspect_ratio?: string;
}

const METADATA = {
  type: 'object',
  additionalProperties: { $ref: getSchemaPath(MediaMetadataView) },
  readOnly: true,
  required: false,
} as unknown as ApiPropertyOptions;
const WRITTEN_METADATA = { type: 'object', additionalProperties: schemaOf(MediaMetadataView) };

/** One image or video. */
@ApiExtraModels(MediaMetadataView)
export class MediaComponentView {
  /** What kind of component it is. */
  @ApiProperty(only('MEDIA')) type: 'MEDIA';
  /** The image or video, which is in the media library of the account. */
  @ApiProperty(MEDIA_KEY_VIEW) media_key: string;
  /** What is known of it, under its key; not taken in requests. */
  @ApiProperty(METADATA) @WrittenAs(WRITTEN_METADATA) media_metadata?: Record<string, MediaMetadataView>;
}

/** Images and videos to swipe through, which all lead to the same place. */
@ApiExtraModels(MediaMetadataView)
export class SwipeableMediaComponentView {
  /** What kind of component it is. */
  @ApiProperty(only('SWIPEABLE_MEDIA')) type: 'SWIPEABLE_MEDIA';
  /** The images and videos in their order, each once. */
  @ApiProperty({
    type: 'array',
    items: { type: 'string', pattern: MEDIA_KEY.pattern.source },
    minItems: CAROUSEL.min,
    maxItems: CAROUSEL.max,
  })
  media_keys: string[];
  /** What is known of them, each under its key; not taken in requests. */
  @ApiProperty(METADATA) @WrittenAs(WRITTEN_METADATA) media_metadata?: Record<string, MediaMetadataView>;
}

/** A website that a card leads to. */
export class WebsiteDestinationView {
  /** What kind of destination it is. */
  @ApiProperty(only('WEBSITE')) type: 'WEBSITE';
  /** Its URL, http or https. */
  @ApiProperty({ maxLength: MAX_URL_LENGTH, example: 'https://example.com/menu' }) url: string;
  /** Its short URL: none is made; not taken in requests. */
  @ApiProperty({ type: String, nullable: true, readOnly: true, required: false }) tco_url?: string | null;
}

/** An app that a card leads to. */
export class AppDestinationView {
  /** What kind of destination it is. */
  @ApiProperty(only('APP')) type: 'APP';
  /** The country of the store: ISO 3166-1 alpha-2. */
  @ApiProperty({ pattern: '^[A-Z]{2}$', example: 'US' }) country_code: string;
  /** Its package in Google Play; this or `ios_app_store_identifier` is required. */
  @ApiProperty({ required: false, example: 'com.example.shop' }) googleplay_app_id?: string;
  /** Its number in the App Store; this or `googleplay_app_id` is required. */
  @ApiProperty({ required: false, pattern: '^[0-9]+$', example: '333903271' }) ios_app_store_identifier?: string;
  /** The place in the app of Google Play, which then has to be named. */
  @ApiProperty({ required: false, maxLength: MAX_URL_LENGTH, example: 'shop://offers/1' })
  googleplay_deep_link?: string;
  /** The place in the app of the App Store, which then has to be named. */
  @ApiProperty({ required: false, maxLength: MAX_URL_LENGTH, example: 'shop://offers/1' }) ios_deep_link?: string;
}

/** What a button says. */
export class ButtonLabelView {
  /** What kind of label it is. */
  @ApiProperty(only('ENUM')) type: 'ENUM';
  /** The words of the button. */
  @ApiProperty(enumSchema(BUTTON_LABELS)) @Unescaped() value: ButtonLabel;
}

/** A title that leads to a website. */
export class DetailsComponentView {
  /** What kind of component it is. */
  @ApiProperty(only('DETAILS')) type: 'DETAILS';
  /** What it says. */
  @ApiProperty({ minLength: 1, maxLength: MAX_TITLE_LENGTH }) title: string;
  /** Where it leads. */
  @ApiProperty({ type: WebsiteDestinationView }) destination: WebsiteDestinationView;
}

/** A button that leads to an app. */
export class ButtonComponentView {
  /** What kind of component it is. */
  @ApiProperty(only('BUTTON')) type: 'BUTTON';
  /** What the button says. */
  @ApiProperty({ type: ButtonLabelView }) label: ButtonLabelView;
  /** Where it leads. */
  @ApiProperty({ type: AppDestinationView }) destination: AppDestinationView;
}

export type ComponentView =
  MediaComponentView | SwipeableMediaComponentView | DetailsComponentView | ButtonComponentView;

/** The kinds of component that there are. */
export const COMPONENT_VIEWS = [
  MediaComponentView,
  SwipeableMediaComponentView,
  DetailsComponentView,
  ButtonComponentView,
];
const SLIDE_VIEWS = [MediaComponentView, DetailsComponentView];

/** How the document shows components and slides, in requests and answers. */
export const COMPONENTS = { type: 'array', items: oneOfViews(COMPONENT_VIEWS), minItems: 2, maxItems: 2 } as const;
export const SLIDES = {
  type: 'array',
  items: { type: 'array', items: oneOfViews(SLIDE_VIEWS), minItems: 2, maxItems: 2 },
  minItems: CAROUSEL.min,
  maxItems: CAROUSEL.max,
} as const;

/** How they are written. */
export const WRITTEN_COMPONENTS = { type: 'array', items: schemaOfAny(COMPONENT_VIEWS) };
export const WRITTEN_SLIDES = { type: 'array', items: { type: 'array', items: schemaOfAny(SLIDE_VIEWS) } };

/** A component with what answers add to it. */
export function presentComponent(component: Component, media: ShownMediaByKey): ComponentView {
  switch (component.type) {
    case 'MEDIA':
      return { ...component, ...metadataOf([component.media_key], media) };
    case 'SWIPEABLE_MEDIA':
      return { ...component, ...metadataOf(component.media_keys, media) };
    case 'DETAILS':
      return { ...component, destination: { ...component.destination, tco_url: null } };
    case 'BUTTON':
      return component;
  }
}

function metadataOf(mediaKeys: readonly string[], media: ShownMediaByKey) {
  const known = mediaKeys.flatMap((mediaKey) => {
    const shown = media.get(mediaKey);
    return shown ? [[mediaKey, presentMetadata(shown)] as const] : [];
  });
  return known.length > 0 ? { media_metadata: Object.fromEntries(known) } : {};
}

function presentMetadata({ medium, url }: ShownMedia): MediaMetadataView {
  const { mediaType: type, width, height, duration } = medium;
  if (type === 'IMAGE') return { type, url, width, height };
  const ratio = reducedRatio(medium);
  return {
    type,
    url,
    width,
    height,
    video_aspect_ratio: `${ratio.width}:${ratio.height}`,
    ...(duration !== null && { video_duration: duration }),
  };
}
