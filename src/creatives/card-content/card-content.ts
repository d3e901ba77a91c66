import { closedSet } from '../../common/values/closed-set.js';

/** The `content` of cards by kind. Keys match requests and responses, but for lists of hashtags and choices. */

export interface WebsiteDestination {
  type: 'WEBSITE';
  url: string;
}

/** A lead form of the account. */
export interface LeadFormDestination {
  type: 'LEAD_FORM';
  id: string;
}

export interface AppDestination {
  type: 'APP';
  country_code: string;
  googleplay_app_id?: string;
  ios_app_store_identifier?: string;
  googleplay_deep_link?: string;
  ios_deep_link?: string;
}

export const BUTTON_LABELS = closedSet('ButtonLabel', ['BOOK', 'CONNECT', 'INSTALL', 'OPEN', 'ORDER', 'PLAY', 'SHOP']);
export type ButtonLabel = (typeof BUTTON_LABELS)[number];

/** A component of a component-based card. */
export type Component =
  | { type: 'MEDIA'; media_key: string }
  | { type: 'SWIPEABLE_MEDIA'; media_keys: string[] }
  | { type: 'DETAILS'; title: string; destination: WebsiteDestination | LeadFormDestination }
  | {
      type: 'BUTTON';
      label: { type: 'ENUM'; value: ButtonLabel };
      destination: AppDestination | LeadFormDestination;
    };

/** COMPONENTS: exactly one of the two fields is set. */
export interface ComponentsContent {
  components?: Component[];
  /** A carousel with several destinations: one inner array per slide. */
  slides?: Component[][];
}

/** IMAGE_CONVERSATION and VIDEO_CONVERSATION: fields that are not set are absent. */
export interface ConversationContent {
  title: string | null;
  /** One to four hashtags with their `#`, and the text posted for each. */
  ctas: { hashtag: string; post: string }[];
  thank_you_text: string;
  thank_you_url: string | null;
  media_key: string;
  poster_media_key: string | null;
  unlocked_image_media_key: string | null;
  unlocked_video_media_key: string | null;
}

/** POLL: starts when the card is created and ends at the card's `endsAt`. */
export interface PollContent {
  choices: string[];
  duration_in_minutes: number;
  media_key: string | null;
}

export const PRODUCT_CREATIVE_TYPES = closedSet('ProductCreativeType', ['CAROUSEL', 'COLLECTION', 'SINGLE']);
export type ProductCreativeType = (typeof PRODUCT_CREATIVE_TYPES)[number];

/** DYNAMIC_PRODUCTS: the products are those of the set that a line item advertises. */
export interface DynamicProductContent {
  url: string;
  creative_type: ProductCreativeType;
}

export const ORDINALS = ['first', 'second', 'third', 'fourth'] as const;
export type Ordinal = (typeof ORDINALS)[number];

/** The hashtags of a conversation and their posts, by the names of their parameters. */
export const fieldsOfCtas = (ctas: ConversationContent['ctas']): Record<string, string> =>
  Object.fromEntries(
    ctas.flatMap(({ hashtag, post }, i) => [
      [`${ORDINALS[i]}_cta`, hashtag],
      [`${ORDINALS[i]}_cta_post`, post],
    ]),
  );

/** The choices of a poll, by the names of their parameters. */
export const fieldsOfChoices = (choices: PollContent['choices']): Record<string, string> =>
  Object.fromEntries(choices.map((choice, i) => [`${ORDINALS[i]}_choice`, choice]));

const SCHEME = 'card://';

/** Format of a card URI. */
export const CARD_URI = { pattern: /^card:\/\/[0-9]+$/, what: 'a card URI such as card://1234567890123456' };

/** Returns the URI of the card with this id. */
export const cardUriOf = (cardId: string): string => `${SCHEME}${cardId}`;

/** Returns the id of the card with this URI. */
export const cardIdOf = (cardUri: string): string => cardUri.slice(SCHEME.length);
