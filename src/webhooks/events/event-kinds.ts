import {
  CHANGED_ENTITIES,
  type AccountChange,
  type ChangedEntity,
  type ChangeType,
} from '../../accounts/change-log/account-change.entity.js';
import type { Row } from '../../common/db/query/rows.js';

/** The change of an entity as events report it: the action or, for some entities, its result. */
export type EventType = 'create' | 'update' | 'delete' | 'status_change' | 'published' | 'failed';

/** Kinds of events that report no change. */
const OTHER_KINDS = ['replay_job_status', 'user_event.revoke', 'webhook.disabled'];

const TYPES: Record<ChangeType, EventType> = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete' };

/** The name of the event's list of changes of this type, such as `campaign_events`. */
export const listedAs = (entity: ChangedEntity, type: EventType): string =>
  entity === 'POST' ? `post_${type}_events` : `${entity.toLowerCase()}_events`;

type StoredChange = Pick<Row<AccountChange>, 'changeType' | 'entityType' | 'changes'>;

/** The event type of a change. */
export function eventTypeOf({ changeType, entityType, changes }: StoredChange): EventType {
  const changed = changes as Partial<Record<string, { new: unknown }>>;
  if (changeType === 'UPDATE' && entityType === 'CUSTOM_AUDIENCE' && changed.targetable) return 'status_change';
  if (changeType === 'UPDATE' && entityType === 'SCHEDULED_POST') {
    if (changed.scheduled_status?.new === 'SUCCESS') return 'published';
    if (changed.scheduled_status?.new === 'FAILED') return 'failed';
  }
  return TYPES[changeType];
}

/** Every kind of event, such as `campaign.update`. Commands create promotable users, and no event reports that. */
export const EVENT_KINDS: readonly string[] = [
  ...CHANGED_ENTITIES.filter((entity) => entity !== 'PROMOTABLE_USER').flatMap((entity) =>
    typesOf(entity).map((type) => `${entity.toLowerCase()}.${type}`),
  ),
  ...OTHER_KINDS,
].sort();

function typesOf(entity: ChangedEntity): EventType[] {
  if (entity === 'CUSTOM_AUDIENCE') return ['create', 'update', 'delete', 'status_change'];
  if (entity === 'SCHEDULED_POST') return ['create', 'update', 'delete', 'published', 'failed'];
  return ['create', 'update', 'delete'];
}
