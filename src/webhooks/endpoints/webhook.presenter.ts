import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import type { Webhook } from '../entities/webhook.entity.js';

/** A webhook as the API shows it. */
export class WebhookView {
  /** When it was registered. */
  @ApiProperty({ ...TIME, required: false, example: '2026-10-01T08:00:00Z' }) @Unescaped() created_at?: string;
  /** Its id. */
  @ApiProperty({ ...DECIMAL_ID, example: '1827099541164159' }) @Unescaped() id: string;
  /** Where events are sent. */
  @ApiProperty({ required: false, example: 'http://localhost:3000/demo/webhook' }) url?: string;
  /** Whether it answered the last challenge, and takes what it is sent; only such a one is sent anything. */
  @ApiProperty({ required: false, example: true }) valid?: boolean;
}

/** A webhook with all of its fields, or with its id and these. */
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

/** Whether a webhook passed the challenge that was asked for. */
export class WebhookValidityView {
  /** Whether it is valid now. */
  @ApiProperty({ example: true }) valid: boolean;
}

/** That something was deleted. */
export class DeletedView {
  /** Always true. */
  @ApiProperty({ example: true }) deleted: boolean;
}
