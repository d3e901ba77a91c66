import type { ApiError } from '../../common/errors/api-error.js';
import { notSettable } from '../campaigns.errors.js';
import { sameValue, type Term, type Terms } from './line-item.rules.js';
import type { UpdateLineItem } from './line-items.dto.js';

/** Fields that an update cannot change. The current value is accepted. */
export const FIXED = [
  'campaign_id',
  'objective',
  'product_type',
  'placements',
  'primary_web_event_tag',
  'standard_delivery',
] as const satisfies readonly (keyof UpdateLineItem & Term)[];

/** A tag can be set once: if there is none yet, together with the goal that requires it. */
export const isFirstTag = (stored: Terms, sent: Partial<Terms>): boolean =>
  !stored.primary_web_event_tag && sent.goal === 'WEBSITE_CONVERSIONS';

/** Problems of sent parameters that try to change fixed fields. */
export const fixedProblems = (stored: Terms, sent: Partial<Terms>): ApiError[] =>
  FIXED.filter((name) => sent[name] !== undefined && !sameValue(sent[name], stored[name])).flatMap((name) => {
    if (name !== 'primary_web_event_tag') return [notSettable(name, sent[name])];
    if (isFirstTag(stored, sent)) return [];
    const details = stored.primary_web_event_tag
      ? 'the line item already has a tag'
      : 'it can be set together with goal=WEBSITE_CONVERSIONS';
    return [notSettable(name, sent[name], details)];
  });
