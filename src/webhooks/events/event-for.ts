import type { Row } from '../../common/db/query/rows.js';
import { insert, type Write } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { OutgoingEvent } from '../../common/outbox/outgoing-event.entity.js';
import { deliveryIdOf, WebhookDelivery } from '../entities/webhook-delivery.entity.js';
import type { Webhook } from '../entities/webhook.entity.js';

/**
 * An event for one webhook, with its delivery. The statement that causes the event stores both, so no dispatch is
 * needed. `body` is the event's content without its envelope.
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
          id: deliveryIdOf(eventId, webhook.id),
          webhookId: webhook.id,
          eventId,
          eventTime: at,
          replayId: '',
          state: 'PENDING',
          attempts: 0,
          dueAt: at,
          lastStatus: null,
          lastError: null,
          fault: null,
          createdAt: at,
          settledAt: null,
        },
      ]),
    ],
  };
}
