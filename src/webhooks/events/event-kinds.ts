import type { AccountChange, ChangedEntity, ChangeType } from '../../accounts/change-log/account-change.entity.js';
import type { Row } from '../../common/db/query/rows.js';

/** What happened to an entity, as events say it: what was done, or, of some entities, what it led to. */
export type EventType = 'create' | 'update' | 'delete' | 'status_change' | 'published' | 'failed';

const TYPES: Record<ChangeType, EventType> = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete' };

/** Returns the name of the list in which an event has a change of this type, such as `campaign_events`. */
export const listedAs = (entity: ChangedEntity, type: EventType): string =>
  entity === 'POST' ? `post_${type}_events` : `${entity.toLowerCase()}_events`;

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
