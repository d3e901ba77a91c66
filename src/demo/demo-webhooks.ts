import type { INestApplicationContext } from '@nestjs/common';
import { DeliveryWorker } from '../webhooks/deliveries/delivery-worker.js';
import { type GetClient } from '../webhooks/endpoints/challenge.js';
import { WebhooksService } from '../webhooks/endpoints/webhooks.service.js';
import { TrialEventsService } from '../webhooks/deliveries/trial-events.service.js';
import { SubscriptionsService } from '../webhooks/subscriptions/subscriptions.service.js';
import { answerToChallenge } from './demo-receiver.js';

/** Creates a webhook that receives all events of the demo's accounts and a test event, and one to delete. */
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
  // Events from before the webhook existed are not sent.
  await app.get(DeliveryWorker).dispatch();
  const webhooks = app.get(WebhooksService);
  // The service does not listen yet, so this calls the receiver directly.
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
  // A subscription to delete.
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
