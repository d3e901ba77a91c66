import type { BearerApi } from '../../support/bearer-api.js';
import { given, type Advertiser, type Application } from '../../support/given.js';
import { receiver, type Receiver } from '../../support/receiver.js';

export interface Listening {
  application: Application;
  /** What the application calls with its bearer token. */
  api: BearerApi;
  advertiser: Advertiser;
  receiver: Receiver;
  webhookId: string;
}

/** An application that has a webhook with a subscription to all accounts, and somebody with an account who uses it. */
export async function listening(): Promise<Listening> {
  const { application, api } = await given.integrator();
  const advertiser = await given.advertiser({ application });
  const target = await receiver(application.consumer.secret);
  const { body, status } = await api.post('/2/webhooks', { url: target.url });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const webhookId = body.data.id as string;
  await api.post(`/2/webhooks/${webhookId}/subscriptions`, {});
  return { application, api, advertiser, receiver: target, webhookId };
}
