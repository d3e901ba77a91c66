import type { EntityManager } from 'typeorm';
import type { Row } from '../db/query/rows.js';
import { insert, type Write } from '../db/query/write.js';
import { newId } from '../entity/ids.js';
import { noticed } from '../jobs/enqueue.js';
import { OutgoingEvent } from './outgoing-event.entity.js';

/** Whom an event is for: the subscribers of an account, the webhooks of an application, or those that are both. */
export type Audience = { accountId: string; applicationId?: string } | { accountId?: undefined; applicationId: string };

/** Under this name whoever brings events to webhooks hears that there are some (`onEnqueued`). */
export const EVENTS = { name: 'outgoing-events' };

/** The events that tell webhooks of changes, to be stored by the statement that records these. */
export const eventsOf = (changes: readonly { id: string; accountId: string }[], now: Date): Write =>
  storing(changes.map(({ id, accountId }) => ({ ...newEvent({ accountId }, now), changeId: id })));

/**
 * An event of something that no change of an account records, to be stored by the statement that makes it happen. `body`
 * is what the event says besides its envelope (docs/webhooks.md): small, and never a secret.
 */
export const eventWith = (audience: Audience, body: object, now: Date): Write =>
  storing([{ ...newEvent(audience, now), body }]);

const storing = (events: Row<OutgoingEvent>[]): Write =>
  Object.assign(insert(OutgoingEvent, events), { stored: (db: EntityManager) => noticed(db, EVENTS) });

const newEvent = ({ accountId, applicationId }: Audience, now: Date): Row<OutgoingEvent> => ({
  id: newId(now),
  accountId: accountId ?? null,
  applicationId: applicationId ?? null,
  changeId: null,
  body: null,
  createdAt: now.toISOString(),
  dispatchedAt: null,
});
