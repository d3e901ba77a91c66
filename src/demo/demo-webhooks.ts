import { type INestApplicationContext, Injectable } from '@nestjs/common';
import { DeliveryWorker } from '../webhooks/deliveries/delivery-worker.js';
import { type GetClient, hmacOf } from '../webhooks/endpoints/challenge.js';
import { WebhooksService } from '../webhooks/endpoints/webhooks.service.js';
import { TrialEventsService } from '../webhooks/deliveries/trial-events.service.js';
import { SubscriptionsService } from '../webhooks/subscriptions/subscriptions.service.js';
import { ConsumersService } from '../auth/credentials/consumers.service.js';
import { Clock } from '../common/time/clock.js';
import { Config } from '../config/config.js';
import { readDemoCredentials } from './credentials-file.js';

const MAX_KEPT = 100;

/** An event that the demo receiver accepted. */
interface ReceivedEvent {
  received_at: string;
  event: object;
}

/** The response to a challenge. */
const answerToChallenge = (consumerSecret: string, crcToken: string) => ({
  response_token: hmacOf(consumerSecret, crcToken),
});

/**
 * The receiver of the demo's webhook, as an integrator would write it. It answers challenges and accepts signed events.
 */
@Injectable()
export class DemoReceiver {
  private events: ReceivedEvent[] = [];

  constructor(
    private readonly config: Config,
    private readonly consumers: ConsumersService,
    private readonly clock: Clock,
  ) {}

  /** The response to a challenge; undefined if there is no demo. */
  async answer(crcToken: string): Promise<{ response_token: string } | undefined> {
    const secret = await this.secret();
    return secret === undefined ? undefined : answerToChallenge(secret, crcToken);
  }

  /** Stores an event with a valid signature. Returns false for any other. */
  async take(body: string, signature: string | undefined): Promise<boolean> {
    const secret = await this.secret();
    if (secret === undefined || signature !== hmacOf(secret, body)) return false;
    const received = { received_at: this.clock.now().toISOString(), event: JSON.parse(body) as object };
    this.events = [received, ...this.events].slice(0, MAX_KEPT);
    return true;
  }

  /** The last hundred events since the process started, newest first. */
  latest(): readonly ReceivedEvent[] {
    return this.events;
  }

  private async secret(): Promise<string | undefined> {
    const demo = readDemoCredentials(this.config.dataDir);
    return demo && (await this.consumers.find(demo.consumer_key))?.secret;
  }
}

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
