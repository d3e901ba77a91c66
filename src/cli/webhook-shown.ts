import { wireTime } from '../common/db/postgres/type-parsers.js';
import type { Row } from '../common/db/query/rows.js';
import type { Webhook } from '../webhooks/entities/webhook.entity.js';

/** A webhook as shown to operators. */
export const shown = (webhook: Row<Webhook>) => ({
  webhook_id: webhook.id,
  application_id: webhook.applicationId,
  url: webhook.url,
  valid: webhook.valid,
  invalid_reason: webhook.invalidReason,
  created_at: wireTime(webhook.createdAt),
  validated_at: wireTime(webhook.validatedAt),
  next_check_at: wireTime(webhook.nextCheckAt),
  failing_since: webhook.failingSince && wireTime(webhook.failingSince),
});
