import type { AccountChange, ChangedEntity, ChangeType } from '../../accounts/change-log/account-change.entity.js';
import type { Row } from '../../common/db/query/rows.js';

/** What happened to an entity, as events say it: what was done, or, of some entities, what it led to. */
export type EventType = 'create' | 'update' | 'delete' | 'status_change' | 'published' | 'failed';

const TYPES: Record<ChangeType, EventType> = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete' };

/** Under which name an event lists what happened to an entity. Those of posts tell by it what it was, too. */
export const LISTED_AS: Record<ChangedEntity, string | ((type: EventType) => string)> = {
  ACCOUNT: 'account_events',
  ACCOUNT_APP: 'account_app_events',
  ACCOUNT_MEDIA: 'account_media_events',
  AUDIENCE_PERMISSION: 'audience_permission_events',
  CAMPAIGN: 'campaign_events',
  CARD: 'card_events',
  CUSTOM_AUDIENCE: 'custom_audience_events',
  DO_NOT_REACH_LIST: 'do_not_reach_list_events',
  DRAFT_POST: 'draft_post_events',
  FUNDING_INSTRUMENT: 'funding_instrument_events',
  LIBRARY_MEDIA: 'library_media_events',
  LINE_ITEM: 'line_item_events',
  LINE_ITEM_CURATED_CATEGORY: 'line_item_curated_category_events',
  MEDIA_CREATIVE: 'media_creative_events',
  POST: (type) => `post_${type}_events`,
  PREROLL_CALL_TO_ACTION: 'preroll_call_to_action_events',
  PROMOTABLE_USER: 'promotable_user_events',
  PROMOTED_ACCOUNT: 'promoted_account_events',
  PROMOTED_POST: 'promoted_post_events',
  SCHEDULED_POST: 'scheduled_post_events',
  SCHEDULED_PROMOTED_POST: 'scheduled_promoted_post_events',
  TARGETING_CRITERIA: 'targeting_criteria_events',
};

/** Under which name an event lists that this happened to an entity of this kind. */
export function listedAs(entity: ChangedEntity, type: EventType): string {
  const name = LISTED_AS[entity];
  return typeof name === 'string' ? name : name(type);
}

type Changed = Pick<Row<AccountChange>, 'changeType' | 'entityType' | 'changes'>;

/** What an event of a change says that it was. */
export function eventTypeOf({ changeType, entityType, changes }: Changed): EventType {
  const changed = changes as Partial<Record<string, { new: unknown }>>;
  if (changeType === 'UPDATE' && entityType === 'CUSTOM_AUDIENCE' && changed.targetable) return 'status_change';
  if (changeType === 'UPDATE' && entityType === 'SCHEDULED_POST') {
    if (changed.scheduled_status?.new === 'SUCCESS') return 'published';
    if (changed.scheduled_status?.new === 'FAILED') return 'failed';
  }
  return TYPES[changeType];
}
