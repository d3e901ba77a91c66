import { closedSet } from '../../common/closed-set.js';

/** What a card has in its `content`, by its kind. Keys are those of requests and answers, so that nothing has to be renamed. */

export interface WebsiteDestination {
  type: 'WEBSITE';
  url: string;
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

/** What a component-based card is made of. */
export type Component =
  | { type: 'MEDIA'; media_key: string }
  | { type: 'SWIPEABLE_MEDIA'; media_keys: string[] }
  | { type: 'DETAILS'; title: string; destination: WebsiteDestination }
  | { type: 'BUTTON'; label: { type: 'ENUM'; value: ButtonLabel }; destination: AppDestination };

/** COMPONENTS: exactly one of the two. */
export interface ComponentsContent {
  components?: Component[];
  /** A carousel whose cards lead to different places: one inner array per card. */
  slides?: Component[][];
}

/** IMAGE_CONVERSATION and VIDEO_CONVERSATION: what is absent was not given. */
export interface ConversationContent {
  title: string | null;
  /** One to four, each with its `#`, and what is posted when it is chosen. */
  ctas: { hashtag: string; post: string }[];
  thank_you_text: string;
  thank_you_url: string | null;
  media_key: string;
  poster_media_key: string | null;
  unlocked_image_media_key: string | null;
  unlocked_video_media_key: string | null;
}

/** POLL: it begins when the card is made and ends at the card's `endsAt`. */
export interface PollContent {
  choices: string[];
  duration_in_minutes: number;
  media_key: string | null;
}
