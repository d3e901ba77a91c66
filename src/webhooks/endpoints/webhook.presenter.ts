import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { DECIMAL_ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import type { Webhook } from '../entities/webhook.entity.js';

/** A webhook. */
export class WebhookView {
  /** When the webhook was registered. */
  @ApiProperty({ ...TIME, required: false, example: '2026-10-01T08:00:00Z' }) @Unescaped() created_at?: string;
  /** The id of the webhook. */
  @ApiProperty({ ...DECIMAL_ID, example: '1827099541164159' }) @Unescaped() id: string;
  /** The URL that receives events. */
  @ApiProperty({ required: false, example: 'http://localhost:3000/demo/webhook' }) url?: string;
  /** Whether the webhook passed its last challenge and accepts deliveries. Only valid webhooks receive events. */
  @ApiProperty({ required: false, example: true }) valid?: boolean;
}

/** Presents a webhook with all fields, or with its id and these fields. */
export function presentWebhook(webhook: Row<Webhook>, fields?: readonly string[]): WebhookView {
  const { id, url, valid } = webhook;
  const view: Required<WebhookView> = { created_at: wireTime(webhook.createdAt), id, url, valid };
  if (!fields) return view;
  return {
    id,
    ...(fields.includes('created_at') && { created_at: view.created_at }),
    ...(fields.includes('url') && { url }),
    ...(fields.includes('valid') && { valid }),
  };
}

/** The result of a webhook validation. */
export class WebhookValidityView {
  /** Whether the webhook is valid now. */
  @ApiProperty({ example: true }) valid: boolean;
}

/** Confirms a deletion. */
@Noun('confirmation')
export class DeletedView {
  /** Always true. */
  @ApiProperty({ example: true }) deleted: boolean;
}
