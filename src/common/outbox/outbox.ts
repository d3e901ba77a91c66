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

/**
 * An event that is not a change of an account, stored by the statement that causes it. `body` is the event without its
 * envelope (docs/webhooks.md): small, and never a secret.
 */
export const eventWrite = (audience: EventAudience, body: object, now: Date): Write =>
  withNotification(insert(OutgoingEvent, [newEvent(audience, body, now)]));

const newEvent = ({ accountId, applicationId }: EventAudience, body: object, now: Date): Row<OutgoingEvent> => ({
  id: newId(now),
  accountId: accountId ?? null,
  applicationId: applicationId ?? null,
  changeId: null,
  body,
  createdAt: now.toISOString(),
  dispatchedAt: null,
});
