import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../common/clock.js';
import type { Row } from '../../common/db/query/rows.js';
import { insert, write, type Precondition, type Write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { OutgoingEvent } from '../../webhooks/outbox/outgoing-event.entity.js';
import { AccountChange, type ChangedEntity, type ChangeType } from './account-change.entity.js';

/** A change, as the service that makes it tells it. */
export interface Change {
  type: ChangeType;
  entity: ChangedEntity;
  id: string;
  /** The thing as presented after the change, for an update also before it. */
  data: object;
  before?: object;
}

export const created = (entity: ChangedEntity, id: string, data: object): Change => ({
  type: 'CREATE',
  entity,
  id,
  data,
});
export const updated = (entity: ChangedEntity, id: string, before: object, data: object): Change => ({
  type: 'UPDATE',
  entity,
  id,
  before,
  data,
});
export const removed = (entity: ChangedEntity, id: string, data: object): Change => ({
  type: 'DELETE',
  entity,
  id,
  data,
});

/** Stores what changes together with the record of the change and the event that tells of it: one statement, all or nothing. */
@Injectable()
export class ChangeLog {
  constructor(private readonly clock: Clock) {}

  /** Answers for each guard whether it held; unless all did, nothing was stored. */
  store(
    db: EntityManager,
    by: { id: string; userId: string },
    parts: Write[],
    changes: Change[],
    guards: Precondition[] = [],
  ): Promise<boolean[]> {
    const now = this.clock.now();
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
    }));
    const events = history.map((each): Row<OutgoingEvent> => ({
      id: newId(now),
      accountId: by.id,
      changeId: each.id,
      createdAt: time,
    }));
    return write(db, [...parts, insert(AccountChange, history), insert(OutgoingEvent, events)], guards);
  }
}

/** The fields that differ, with both values; `updated_at` always does and says nothing. */
function differences(before: object | undefined, after: object): object {
  if (!before) return {};
  const old = before as Record<string, unknown>;
  const fields = Object.entries(after).filter(
    ([name, value]) => name !== 'updated_at' && JSON.stringify(old[name]) !== JSON.stringify(value),
  );
  return Object.fromEntries(fields.map(([name, value]: [string, unknown]) => [name, { old: old[name], new: value }]));
}
