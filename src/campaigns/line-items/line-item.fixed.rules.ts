import type { ApiError } from '../../common/errors/api-error.js';
import { notSettable } from '../campaigns.errors.js';
import { sameValue, type Term, type Terms } from './line-item.rules.js';
import type { UpdateLineItem } from './line-items.dto.js';

/** What an update cannot change: sent back as it is, it is no change. */
export const FIXED = [
  'campaign_id',
  'objective',
  'product_type',
  'placements',
  'primary_web_event_tag',
  'standard_delivery',
] as const satisfies readonly (keyof UpdateLineItem & Term)[];

/** A tag can be set once: while there is none, together with the goal that needs it. */
export const isFirstTag = (stored: Terms, sent: Partial<Terms>): boolean =>
  !stored.primary_web_event_tag && sent.goal === 'WEBSITE_CONVERSIONS';

/** What of the sent parameters tries to change what cannot be changed. */
export const fixedProblems = (stored: Terms, sent: Partial<Terms>): ApiError[] =>
  FIXED.filter((name) => sent[name] !== undefined && !sameValue(sent[name], stored[name])).flatMap((name) => {
    if (name !== 'primary_web_event_tag') return [notSettable(name, sent[name])];
    if (isFirstTag(stored, sent)) return [];
    const details = stored.primary_web_event_tag
      ? 'the line item has a tag already'
      : 'it can be set together with goal=WEBSITE_CONVERSIONS';
    return [notSettable(name, sent[name], details)];
  });
