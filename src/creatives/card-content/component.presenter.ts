import { ApiExtraModels, ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { oneOfViews, schemaOf, schemaOfAny, Unescaped, SerializedAs } from '../../common/http/answers/responses.js';
import { reducedRatio, videoRatio } from '../aspect-ratio.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import { MEDIA_KEY } from '../media-files/media-key.js';
import { MEDIA_TYPES, type MediaType } from '../entities/media.entity.js';
import { BUTTON_LABELS, type ButtonLabel, type Component } from './card-content.js';
import { CAROUSEL, MAX_TITLE_LENGTH } from './component.parts.js';
import { MAX_URL_LENGTH } from '../web-url.js';

/** A media item of a card: its library row and the URLs of its files. */
export interface CardMedia {
  medium: Row<LibraryMedia>;
  url: string;
  /** URL of the poster; images have none. */
  posterUrl: string | null;
  /** URL of a video's first frame; null unless a conversation card shows the video without a poster. */
  firstFrameUrl: string | null;
}
/** The media of a card by key, including those removed from the library. */
export type ShownMediaByKey = ReadonlyMap<string, CardMedia>;

/** OpenAPI schema of a media key. */
export const MEDIA_KEY_VIEW = { type: String, pattern: MEDIA_KEY.pattern.source } as const;

/** OpenAPI schema of a constant string. */
export const only = (word: string) => ({ type: 'string', const: word }) as ApiPropertyOptions;

/** Metadata of a media item on a card. */
class MediaMetadataView {
  /** Media type. */
  @ApiProperty(enumSchema(MEDIA_TYPES)) @Unescaped() type: MediaType;
  /** URL of the file. */
  @ApiProperty() url: string;
  /** Width in pixels. */
  @ApiProperty({ type: 'integer' }) width: number;
  /** Height in pixels. */
  @ApiProperty({ type: 'integer' }) height: number;
  /** Duration of a video in milliseconds. */
  @ApiProperty({ type: 'integer', required: false }) video_duration?: number;
  /** Aspect ratio of a video, such as `16:9`. */
  @ApiProperty({ required: false, example: '16:9' }) video_aspect_ratio?: string;
}

const METADATA = {
  type: 'object',
  additionalProperties: { $ref: getSchemaPath(MediaMetadataView) },
  readOnly: true,
  required: false,
} as unknown as ApiPropertyOptions;
const WRITTEN_METADATA = { type: 'object', additionalProperties: schemaOf(MediaMetadataView) };

/** A component with one image or video. */
@ApiExtraModels(MediaMetadataView)
class MediaComponentView {
  /** Component type. */
  @ApiProperty(only('MEDIA')) type: 'MEDIA';
  /** Key of an image or video in the account's media library. */
  @ApiProperty(MEDIA_KEY_VIEW) media_key: string;
  /** Metadata of the media by media key. Responses only. */
  @ApiProperty(METADATA) @SerializedAs(WRITTEN_METADATA) media_metadata?: Record<string, MediaMetadataView>;
}

/** A component with several images and videos to swipe through, all with the same destination. */
@ApiExtraModels(MediaMetadataView)
class SwipeableMediaComponentView {
  /** Component type. */
  @ApiProperty(only('SWIPEABLE_MEDIA')) type: 'SWIPEABLE_MEDIA';
  /** Media keys in display order, without duplicates. */
  @ApiProperty({
    type: 'array',
    items: { type: 'string', pattern: MEDIA_KEY.pattern.source },
    minItems: CAROUSEL.min,
    maxItems: CAROUSEL.max,
  })
  media_keys: string[];
  /** Metadata of the media by media key. Responses only. */
  @ApiProperty(METADATA) @SerializedAs(WRITTEN_METADATA) media_metadata?: Record<string, MediaMetadataView>;
}

/** A destination that is a website. */
class WebsiteDestinationView {
  /** Destination type. */
  @ApiProperty(only('WEBSITE')) type: 'WEBSITE';
  /** URL of the website, http or https. */
  @ApiProperty({ maxLength: MAX_URL_LENGTH, example: 'https://example.com/menu' }) url: string;
  /** Short URL. The service does not create one. Responses only. */
  @ApiProperty({ type: String, nullable: true, readOnly: true, required: false }) tco_url?: string | null;
}

/** A destination that is an app. */
class AppDestinationView {
  /** Destination type. */
  @ApiProperty(only('APP')) type: 'APP';
  /** Country of the app store, as an ISO 3166-1 alpha-2 code. */
  @ApiProperty({ pattern: '^[A-Z]{2}$', example: 'US' }) country_code: string;
  /** Google Play package name. Required unless `ios_app_store_identifier` is set. */
  @ApiProperty({ required: false, example: 'com.example.shop' }) googleplay_app_id?: string;
  /** App Store number. Required unless `googleplay_app_id` is set. */
  @ApiProperty({ required: false, pattern: '^[0-9]+$', example: '333903271' }) ios_app_store_identifier?: string;
  /** Deep link into the Google Play app. Requires `googleplay_app_id`. */
  @ApiProperty({ required: false, maxLength: MAX_URL_LENGTH, example: 'shop://offers/1' })
  googleplay_deep_link?: string;
  /** Deep link into the App Store app. Requires `ios_app_store_identifier`. */
  @ApiProperty({ required: false, maxLength: MAX_URL_LENGTH, example: 'shop://offers/1' }) ios_deep_link?: string;
}

/** A destination that is a lead form. */
class LeadFormDestinationView {
  /** Destination type. */
  @ApiProperty(only('LEAD_FORM')) type: 'LEAD_FORM';
  /** The lead form. It must not be archived when it is set. */
  @ApiProperty({ format: 'uuid' }) @Unescaped() id: string;
}

const DETAILS_DESTINATIONS = [WebsiteDestinationView, LeadFormDestinationView];
const BUTTON_DESTINATIONS = [AppDestinationView, LeadFormDestinationView];

/** The label of a button. */
class ButtonLabelView {
  /** Label type. */
  @ApiProperty(only('ENUM')) type: 'ENUM';
  /** Text of the button. */
  @ApiProperty(enumSchema(BUTTON_LABELS)) @Unescaped() value: ButtonLabel;
}

/** A component with a title that links to a website or opens a lead form. */
@ApiExtraModels(...DETAILS_DESTINATIONS)
class DetailsComponentView {
  /** Component type. */
  @ApiProperty(only('DETAILS')) type: 'DETAILS';
  /** Title text. */
  @ApiProperty({ minLength: 1, maxLength: MAX_TITLE_LENGTH }) title: string;
  /** The destination. */
  @ApiProperty(oneOfViews(DETAILS_DESTINATIONS))
  @SerializedAs(schemaOfAny(DETAILS_DESTINATIONS))
  destination: WebsiteDestinationView | LeadFormDestinationView;
}

/** A component with a button that links to an app or opens a lead form. */
@ApiExtraModels(...BUTTON_DESTINATIONS)
class ButtonComponentView {
  /** Component type. */
  @ApiProperty(only('BUTTON')) type: 'BUTTON';
  /** Label of the button. */
  @ApiProperty({ type: ButtonLabelView }) label: ButtonLabelView;
  /** The destination. */
  @ApiProperty(oneOfViews(BUTTON_DESTINATIONS))
  @SerializedAs(schemaOfAny(BUTTON_DESTINATIONS))
  destination: AppDestinationView | LeadFormDestinationView;
}

export type ComponentView =
  MediaComponentView | SwipeableMediaComponentView | DetailsComponentView | ButtonComponentView;

/** All component types. */
export const COMPONENT_VIEWS = [
  MediaComponentView,
  SwipeableMediaComponentView,
  DetailsComponentView,
  ButtonComponentView,
];
const SLIDE_VIEWS = [MediaComponentView, DetailsComponentView];

/** OpenAPI schema of components and slides, in requests and responses. */
export const COMPONENTS = { type: 'array', items: oneOfViews(COMPONENT_VIEWS), minItems: 2, maxItems: 2 } as const;
export const SLIDES = {
  type: 'array',
  items: { type: 'array', items: oneOfViews(SLIDE_VIEWS), minItems: 2, maxItems: 2 },
  minItems: CAROUSEL.min,
  maxItems: CAROUSEL.max,
} as const;

/** OpenAPI schema of components in write requests. */
export const WRITTEN_COMPONENTS = { type: 'array', items: schemaOfAny(COMPONENT_VIEWS) };
export const WRITTEN_SLIDES = { type: 'array', items: { type: 'array', items: schemaOfAny(SLIDE_VIEWS) } };

/** Presents a component with the fields that only responses have. */
export function presentComponent(component: Component, media: ShownMediaByKey): ComponentView {
  switch (component.type) {
    case 'MEDIA':
      return { ...component, ...metadataOf([component.media_key], media) };
    case 'SWIPEABLE_MEDIA':
      return { ...component, ...metadataOf(component.media_keys, media) };
    case 'DETAILS':
      return component.destination.type === 'WEBSITE'
        ? { ...component, destination: { ...component.destination, tco_url: null } }
        : { ...component, destination: component.destination };
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

function presentMetadata({ medium, url }: CardMedia): MediaMetadataView {
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

/** Width and height of an image in pixels, as strings. */
export const presentImage = ({ medium, url }: CardMedia) => ({
  media_url: url,
  image_display_width: String(medium.width),
  image_display_height: String(medium.height),
});

/** Aspect ratio of a video: width and height, as strings. */
export function videoSize({ medium }: CardMedia) {
  const { width, height } = videoRatio(medium);
  return { video_width: String(width), video_height: String(height) };
}
