import { DataSource } from 'typeorm';
import { insert, write } from '../../../src/common/db/query/write.js';
import { newId, newNumber } from '../../../src/common/entity/ids.js';
import { newRow } from '../../../src/common/db/query/new-row.js';
import { Webhook } from '../../../src/webhooks/entities/webhook.entity.js';
import { WebhookSubscription } from '../../../src/webhooks/entities/webhook-subscription.entity.js';
import { world } from '../app.js';
import { BearerApi } from '../bearer-api.js';
import { auth, type Application } from './auth.js';

/** An application that calls for itself. */
export interface Integrator {
  application: Application;
  api: BearerApi;
}

/** Who is told. */
export const webhooks = {
  /** A new application, or this one, with its bearer token. */
  async integrator(application?: Application): Promise<Integrator> {
    const own = application ?? (await auth.application());
    return { application: own, api: await BearerApi.of(own) };
  },

  /** A valid webhook of an application, subscribed to an account, to all of them (null), or to none. */
  async webhook(application: Pick<Application, 'id'>, url: string, accountId?: string | null): Promise<string> {
    const now = world().clock.now();
    const at = now.toISOString();
    const webhook = Object.assign(newRow(now, newNumber), {
      applicationId: application.id,
      url,
      valid: true,
      invalidReason: null,
      validatedAt: at,
      nextCheckAt: '2100-01-01T00:00:00.000Z',
      failingSince: null,
    });
    const subscription = { id: newId(now), webhookId: webhook.id, accountId: accountId ?? null, createdAt: at };
    await write(world().get(DataSource).manager, [
      insert(Webhook, [webhook]),
      insert(WebhookSubscription, accountId === undefined ? [] : [subscription]),
    ]);
    return webhook.id;
  },
};
