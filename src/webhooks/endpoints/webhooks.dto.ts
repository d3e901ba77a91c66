import { closedSet } from '../../common/values/closed-set.js';
import { EnumList, Text } from '../../common/http/params/fields.js';

const WEBHOOK_FIELDS = closedSet('WebhookField', ['created_at', 'id', 'url', 'valid']);

export class CreateWebhook {
  /**
   * The URL that receives events: https on a public host, without a port. It must pass a challenge before it is
   * registered (docs/webhooks.md).
   */
  @Text({ max: 200, example: 'http://localhost:3000/demo/webhook?example' }) url: string;
}

export class ListWebhooks {
  /** The fields to return besides the id; by default all. */
  @EnumList(WEBHOOK_FIELDS, { optional: true, example: ['url', 'valid'] })
  'webhook_config.fields'?: (typeof WEBHOOK_FIELDS)[number][];
}
