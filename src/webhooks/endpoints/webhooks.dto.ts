import { closedSet } from '../../common/closed-set.js';
import { EnumList, Text } from '../../common/http/params/fields.js';

export const WEBHOOK_FIELDS = closedSet('WebhookField', ['created_at', 'id', 'url', 'valid']);

export class CreateWebhook {
  /**
   * Where events are sent: https on a public host, without a port. It has to answer a challenge before it is registered
   * (docs/webhooks.md).
   */
  @Text({ max: 200, example: 'http://localhost:3000/demo/webhook?example' }) url: string;
}

export class ListWebhooks {
  /** Which fields of a webhook are answered, besides its id; all unless given. */
  @EnumList(WEBHOOK_FIELDS, { optional: true, example: ['url', 'valid'] })
  'webhook_config.fields'?: (typeof WEBHOOK_FIELDS)[number][];
}
