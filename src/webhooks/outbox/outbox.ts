import type { Row } from '../../common/db/query/rows.js';
import { insert, type Write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { OutgoingEvent } from './outgoing-event.entity.js';

/** The events that tell webhooks of changes, to be stored by the statement that records these. */
export function eventsOf(changes: readonly { id: string; accountId: string }[], now: Date): Write {
  const createdAt = now.toISOString();
  return insert(
    OutgoingEvent,
    changes.map(({ id, accountId }): Row<OutgoingEvent> => ({ id: newId(now), accountId, changeId: id, createdAt })),
  );
}
