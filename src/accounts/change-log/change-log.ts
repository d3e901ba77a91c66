import type { EntityManager } from 'typeorm';
import type { TimeSource } from '../../common/time/frozen-time.js';
import type { Row } from '../../common/db/query/rows.js';
import { insert, TRANSACTION_ID, type Write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { withNotification } from '../../common/outbox/outbox.js';
import { AccountChange, type ChangeType } from './account-change.entity.js';

/** A change, as its author reports it. */
export interface RecordedChange {
  type: ChangeType;
  /** The name of the resource. */
  entity: string;
  id: string;
  /** The entity as presented after the change, and before it if it existed. */
  data: object;
  before?: object;
}

/** The author of a change and the account in which it happens. */
export interface Author {
  id: string;
  userId: string;
  /** Collects the ids of the changes, also of those that are not stored in the end. */
  changeIds?: string[];
}

/** The same with the time of the account, and the database in which the change happens (ActingAccount). */
export interface TimedAuthor extends Author, TimeSource {
  db: EntityManager;
}

/**
 * The history rows of changes, which are their webhook events too. The statement that stores the changes must store
 * them.
 */
export function recordChanges(changes: readonly RecordedChange[], by: Author, now: Date): Write {
  const time = now.toISOString();
  const history = changes.map((change): Row<AccountChange> => ({
    id: newId(now),
    accountId: by.id,
    entityType: change.entity,
    entityId: change.id,
    changeType: change.type,
    changeTime: time,
    userId: by.userId,
    platform: 'API_OTHER',
    changes: differences(change.before, change.data),
    entityData: change.data,
    transactionId: null,
  }));
  for (const { id } of history) by.changeIds?.push(id);
  return withNotification(insert(AccountChange, history, { transactionId: TRANSACTION_ID }));
}

/** The fields that differ, with both values; an absent one is null. It omits `updated_at`, which always differs. */
function differences(before: object | undefined, after: object): object {
  if (!before) return {};
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])].filter((name) => name !== 'updated_at');
  const valueIn = (row: object, name: string) => (row as Record<string, unknown>)[name] ?? null;
  const fields = names.map((name) => [name, { old: valueIn(before, name), new: valueIn(after, name) }] as const);
  return Object.fromEntries(fields.filter(([, each]) => JSON.stringify(each.old) !== JSON.stringify(each.new)));
}
