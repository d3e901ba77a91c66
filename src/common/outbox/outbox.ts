import type { Row } from '../db/query/rows.js';
import { insert, type Write } from '../db/query/write.js';
import { newId } from '../entity/ids.js';
import { noticed } from '../jobs/enqueue.js';
import { OutgoingEvent } from './outgoing-event.entity.js';

/**
 * The recipients of an event: the subscribers of an account, the webhooks of an application, or those that are both.
 */
export type Audience = { accountId: string; applicationId?: string } | { accountId?: undefined; applicationId: string };

/** The name under which the webhook delivery is notified of events (`onEnqueued`). */
export const EVENTS = { name: 'outgoing-events' };

/** A write of events that notifies the webhook delivery when it is stored. */
export const announced = (write: Write): Write => ({ ...write, stored: (db) => noticed(db, EVENTS) });

/**
 * An event that is not a change of an account, stored by the statement that causes it. `body` is the event without its
 * envelope (docs/webhooks.md): small, and never a secret.
 */
export const eventWith = (audience: Audience, body: object, now: Date): Write =>
  announced(insert(OutgoingEvent, [newEvent(audience, body, now)]));

const newEvent = ({ accountId, applicationId }: Audience, body: object, now: Date): Row<OutgoingEvent> => ({
  id: newId(now),
  accountId: accountId ?? null,
  applicationId: applicationId ?? null,
  changeId: null,
  body,
  createdAt: now.toISOString(),
  dispatchedAt: null,
});
