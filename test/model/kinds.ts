import { BID, DAILY, TOTAL } from './campaigns.js';

/** How a kind appears in requests. */
interface Appearance {
  path: string;
  /** How events name it, if others are named so, too. */
  entity?: Kind;
  /** The parameter of its id, and the code if there is none. */
  id: string;
  unknown?: string;
  /** What it belongs to, and whether its path begins with that. */
  parent?: Kind;
  isBelow?: true;
  sorts: string[];
  /** Whether lists find it by the beginning of its name. */
  q?: true;
  /** Whether the account history has it. */
  history?: true;
  /** Whether those who make creatives write it too. */
  creative?: true;
  /** Whether its writes are sent as JSON. */
  json?: true;
}

export type Attachment = 'PROMOTED_ACCOUNT' | 'TARGETING_CRITERIA';
export type Audience = 'CUSTOM_AUDIENCE' | 'AUDIENCE_PERMISSION' | 'WEB_EVENT_TAG';
export type Card = 'CARD' | 'IMAGE_CARD' | 'COMPONENT_CARD';
export type Creative = Card | 'DRAFT_POST' | 'SCHEDULED_POST' | 'LIBRARY_MEDIA' | 'ACCOUNT_MEDIA';
export type PlainKind = 'CAMPAIGN' | 'LINE_ITEM' | Attachment | Audience | Creative;
/** What kinds of resources the model knows, as events name them. */
export type Kind = 'FUNDING_INSTRUMENT' | 'PROMOTED_POST' | PlainKind;

const TIMES = ['created_at', 'updated_at', 'deleted'];
const NAMED = [...TIMES, 'name'];
const OF_LINE_ITEM = { parent: 'LINE_ITEM', history: true } as const;

const shown = (word: string, more: Partial<Appearance> = {}): Appearance => ({
  ...{ path: `${word}s`, id: `${word}_id`, sorts: TIMES },
  ...more,
});

export const KINDS: Record<Kind, Appearance> = {
  FUNDING_INSTRUMENT: shown('funding_instrument'),
  CAMPAIGN: shown('campaign', {
    ...{ parent: 'FUNDING_INSTRUMENT', sorts: [...NAMED, DAILY, TOTAL], q: true, history: true },
  }),
  LINE_ITEM: shown('line_item', { parent: 'CAMPAIGN', sorts: [...TIMES, BID], q: true, history: true }),
  PROMOTED_POST: shown('promoted_post', OF_LINE_ITEM),
  PROMOTED_ACCOUNT: shown('promoted_account', OF_LINE_ITEM),
  TARGETING_CRITERIA: shown('targeting_criterion', { path: 'targeting_criteria', ...OF_LINE_ITEM }),
  CUSTOM_AUDIENCE: shown('custom_audience', { sorts: NAMED, q: true }),
  AUDIENCE_PERMISSION: shown('custom_audience_permission', {
    ...{ path: 'permissions', parent: 'CUSTOM_AUDIENCE', isBelow: true },
  }),
  // its times are not shown
  WEB_EVENT_TAG: shown('web_event_tag', { unknown: 'WEB_EVENT_TAG_NOT_FOUND', sorts: ['created_at', 'name'] }),
  CARD: shown('card', { path: 'cards/poll', sorts: NAMED, q: true, creative: true }),
  IMAGE_CARD: shown('card', {
    ...{ path: 'cards/image_conversation', entity: 'CARD', sorts: NAMED, q: true, creative: true },
  }),
  COMPONENT_CARD: shown('card', { entity: 'CARD', sorts: NAMED, q: true, creative: true, json: true }),
  DRAFT_POST: shown('draft_post', { sorts: NAMED, creative: true }),
  LIBRARY_MEDIA: shown('media', { path: 'media_library', id: 'media_key', sorts: NAMED, creative: true }),
  ACCOUNT_MEDIA: shown('account_media', { path: 'account_media', creative: true }),
  SCHEDULED_POST: shown('scheduled_post', { sorts: [...NAMED, 'scheduled_at'], creative: true }),
};
