import type { INestApplicationContext } from '@nestjs/common';
import { DeliveryWorker } from '../webhooks/deliveries/delivery-worker.js';
import { type GetClient } from '../webhooks/endpoints/challenge.js';
import { WebhooksService } from '../webhooks/endpoints/webhooks.service.js';
import { TrialEventsService } from '../webhooks/deliveries/trial-events.service.js';
import { SubscriptionsService } from '../webhooks/subscriptions/subscriptions.service.js';
import { answerToChallenge } from './demo-receiver.js';

/** A webhook of the demo's application that is sent all that happens in its accounts, beginning with a try, and one to delete. */
export async function makeWebhooks(
  app: INestApplicationContext,
  {
    applicationId,
    consumerSecret,
    baseUrl,
    accountId,
    campaignId,
    userId,
  }: Record<'applicationId' | 'consumerSecret' | 'baseUrl' | 'accountId' | 'campaignId' | 'userId', string>,
): Promise<{ webhook_id: string; spare_webhook_id: string; delivery_id: string }> {
  // what the demo did before it has a webhook is nobody's to hear
  await app.get(DeliveryWorker).dispatch();
  const webhooks = app.get(WebhooksService);
  // the service does not listen yet: its receiver is asked itself
  const receiver: GetClient = {
    get: async (url) => {
      const token = new URL(url).searchParams.get('crc_token')!;
      return { status: 200, body: JSON.stringify(answerToChallenge(consumerSecret, token)), latencyMs: 0 };
    },
  };
  const url = `${baseUrl}/demo/webhook`;
  const { id } = await webhooks.create(applicationId, { url }, receiver);
  const spare = await webhooks.create(applicationId, { url: `${url}?spare` }, receiver);
  const subscriptions = app.get(SubscriptionsService);
  await subscriptions.create(applicationId, id, {});
  // to be ended by whoever tries that
  await subscriptions.create(applicationId, id, { account_id: accountId });
  const eventId = await app.get(TrialEventsService).send(id, {
    for_account_id: accountId,
    campaign_events: [
      {
        type: 'update',
        entity_type: 'CAMPAIGN',
        entity_id: campaignId,
        change_by: { user_id: userId, platform: 'API_OTHER' },
      },
    ],
  });
  return { webhook_id: id, spare_webhook_id: spare.id, delivery_id: `${eventId}-${id}` };
}
