import type { AccountChange, ChangedEntity, ChangeType } from '../../accounts/change-log/account-change.entity.js';
import type { Row } from '../../common/db/query/rows.js';

/** The change of an entity as events report it: the action or, for some entities, its result. */
export type EventType = 'create' | 'update' | 'delete' | 'status_change' | 'published' | 'failed';

const TYPES: Record<ChangeType, EventType> = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete' };

/** The name of the event's list of changes of this type, such as `campaign_events`. */
export const listedAs = (entity: ChangedEntity, type: EventType): string =>
  entity === 'POST' ? `post_${type}_events` : `${entity.toLowerCase()}_events`;

type Changed = Pick<Row<AccountChange>, 'changeType' | 'entityType' | 'changes'>;

/** The event type of a change. */
export function eventTypeOf({ changeType, entityType, changes }: Changed): EventType {
  const changed = changes as Partial<Record<string, { new: unknown }>>;
  if (changeType === 'UPDATE' && entityType === 'CUSTOM_AUDIENCE' && changed.targetable) return 'status_change';
  if (changeType === 'UPDATE' && entityType === 'SCHEDULED_POST') {
    if (changed.scheduled_status?.new === 'SUCCESS') return 'published';
    if (changed.scheduled_status?.new === 'FAILED') return 'failed';
  }
  return TYPES[changeType];
}
