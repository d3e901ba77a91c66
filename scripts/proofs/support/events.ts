import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import type { World } from '../../../bench/world.js';
import { recordChanges, type RecordedChange } from '../../../src/accounts/change-log/change-log.js';
import { rows } from '../../../src/common/db/query/rows.js';
import { insert, write } from '../../../src/common/db/query/write.js';
import { newId, newNumber } from '../../../src/common/entity/ids.js';
import { newRow } from '../../../src/common/db/query/new-row.js';
import { Application } from '../../../src/auth/credentials/application.entity.js';
import { readConfig } from '../../../src/config/config.js';
import { openService } from '../../../src/service.js';
import { Webhook } from '../../../src/webhooks/entities/webhook.entity.js';
import { WebhookSubscription } from '../../../src/webhooks/entities/webhook-subscription.entity.js';
import type { Stage } from './stage.js';

/** Where changes of an account are committed, of which webhooks are told. */
export interface EventSource {
  /** A valid webhook of the world's application, subscribed to its account. */
  webhook(url: string): Promise<string>;
  /**
   * Commits so many changes, so many a second, `each` at a time and at the time that they say; answers when each was, by
   * the id of what changed.
   */
  commit(
    count: number,
    perSecond: number,
    options?: { each?: number; happening?: () => Date },
  ): Promise<Map<string, number>>;
}

/** The id of what changed, as an event tells it. */
export const changedIn = (text: string): string =>
  (JSON.parse(text) as { campaign_events: [{ entity_id: string }] }).campaign_events[0].entity_id;

/** How many statements a second commit. */
const TICKS = 10;

/** On the store of a world, in this process, which brings nothing to anybody. */
export async function startEvents(
  stage: Pick<Stage, 'atEnd'>,
  { account, author, environment }: World,
): Promise<EventSource> {
  const service = await openService(readConfig({ ...environment, BASE_URL: 'http://127.0.0.1', LOG_LEVEL: 'error' }));
  stage.atEnd(() => service.close());
  const db = service.app.get(DataSource).manager;
  const application = (await rows(db, Application).getOne())!;
  let made = 0;
  const change = (): RecordedChange => {
    const id = String(++made);
    const data = {
      id,
      name: `Campaign ${id}`,
      entity_status: 'PAUSED',
      currency: 'USD',
      daily_budget_amount_local_micro: 5_500_000,
    };
    return { type: 'CREATE', entity: 'CAMPAIGN', id, data };
  };
  return {
    async webhook(url) {
      const now = new Date();
      const webhook = Object.assign(newRow(now, newNumber), {
        applicationId: application.id,
        url,
        valid: true,
        invalidReason: null,
        validatedAt: now.toISOString(),
        nextCheckAt: '2100-01-01T00:00:00.000Z',
        failingSince: null,
      });
      const { id: webhookId, createdAt } = webhook;
      await write(db, [
        insert(Webhook, [webhook]),
        insert(WebhookSubscription, [{ id: newId(now), webhookId, accountId: account.id, createdAt }]),
      ]);
      return webhookId;
    },
    async commit(
      count,
      perSecond,
      { each = Math.max(1, Math.round(perSecond / TICKS)), happening = () => new Date() } = {},
    ) {
      const times = new Map<string, number>();
      const began = performance.now();
      for (let done = 0; done < count;) {
        const changes = Array.from({ length: Math.min(each, count - done) }, change);
        const record = recordChanges(changes, { id: account.id, userId: author }, happening());
        await write(db, [record]);
        const at = performance.now();
        for (const { id } of changes) times.set(id, at);
        done += changes.length;
        await pause(Math.max(0, began + (done / perSecond) * 1_000 - performance.now()));
      }
      return times;
    },
  };
}
