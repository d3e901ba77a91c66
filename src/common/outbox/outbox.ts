import type { Row } from '../db/query/rows.js';
import { insert, type Write } from '../db/query/write.js';
import { newId } from '../entity/ids.js';
import { notifyWorkers } from '../jobs/enqueue.js';
import { OutgoingEvent } from './outgoing-event.entity.js';

/**
 * The recipients of an event: the subscribers of an account, the webhooks of an application, or those that are both.
 */
export type EventAudience =
  { accountId: string; applicationId?: string } | { accountId?: undefined; applicationId: string };

/** The name under which the webhook delivery is notified of events (`onEnqueued`). */
export const EVENTS_CHANNEL = { name: 'outgoing-events' };

/** A write of events that notifies the webhook delivery when it is stored. */
export const withNotification = (write: Write): Write => ({
  ...write,
  stored: (db) => notifyWorkers(db, EVENTS_CHANNEL),
});

/** An event that is not a change of an account. `body` has no envelope (docs/webhooks.md), is small, and never a secret. */
export interface NewEvent {
  audience: EventAudience;
  body: object;
}

/** Events that are stored by the statement that causes them. */
export const eventsWrite = (events: readonly NewEvent[], now: Date): Write =>
  withNotification(
    insert(
      OutgoingEvent,
      events.map((each) => rowOf(each, now)),
    ),
  );

/** One event, stored by the statement that causes it. */
export const eventWrite = (audience: EventAudience, body: object, now: Date): Write =>
  eventsWrite([{ audience, body }], now);

const rowOf = ({ audience, body }: NewEvent, now: Date): Row<OutgoingEvent> => ({
  id: newId(now),
  accountId: audience.accountId ?? null,
  applicationId: audience.applicationId ?? null,
  changeId: null,
  body,
  createdAt: now.toISOString(),
  dispatchedAt: null,
});
