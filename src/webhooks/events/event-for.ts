import type { Row } from '../../common/db/query/rows.js';
import { insert, type Write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import { WebhookDelivery } from '../entities/webhook-delivery.entity.js';
import type { Webhook } from '../entities/webhook.entity.js';

/**
 * An event for one webhook alone, and its delivery, to be stored by the statement that makes it happen: nobody has to
 * find out who wants it. `body` is what it says besides its envelope.
 */
export function eventFor(
  webhook: Pick<Row<Webhook>, 'id' | 'applicationId'>,
  body: object,
  now: Date,
): { eventId: string; writes: Write[] } {
  const [eventId, at] = [newId(now), now.toISOString()];
  return {
    eventId,
    writes: [
      insert(OutgoingEvent, [
        {
          id: eventId,
          accountId: null,
          applicationId: webhook.applicationId,
          changeId: null,
          body,
          createdAt: at,
          dispatchedAt: at,
        },
      ]),
      insert(WebhookDelivery, [
        {
          id: `${eventId}-${webhook.id}`,
          webhookId: webhook.id,
          eventId,
          eventTime: at,
          replayId: '',
          state: 'PENDING',
          attempts: 0,
          dueAt: at,
          lastStatus: null,
          lastError: null,
          createdAt: at,
          settledAt: null,
        },
      ]),
    ],
  };
}
