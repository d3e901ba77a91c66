import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import type { WebhookAttempt } from '../entities/webhook-attempt.entity.js';
import { DELIVERY_STATES, type DeliveryState, type WebhookDelivery } from '../entities/webhook-delivery.entity.js';

/** One try to bring an event to a webhook. */
export class DeliveryAttemptView {
  /** When it began. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() at: string;
  /** Why it failed; null where it did not. */
  @ApiProperty({ type: String, nullable: true, example: 'The answer had status 503.' }) error: string | null;
  /** How long it took, in milliseconds. */
  @ApiProperty({ type: 'integer', example: 48 }) latency_ms: number;
  /** The status of the answer; null where there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 503 }) status: number | null;
}

/** That an event is brought to a webhook, and how far that is. */
export class DeliveryView {
  /** Its attempts of the last seven days, oldest first; at most 20, the last ones. */
  @ApiProperty({ type: [DeliveryAttemptView] }) attempts: DeliveryAttemptView[];
  /** How often it was tried in all. */
  @ApiProperty({ type: 'integer', example: 1 }) attempt_count: number;
  /** When it was begun. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() created_at: string;
  /** The event: what is sent names it as `event_id` and in `webhook-id`. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() event_id: string;
  /** Its id. */
  @ApiProperty({ type: String, example: '2k0hx5m1q9zta-1146654567674912' }) @Unescaped() id: string;
  /** What kind of event it is. */
  @ApiProperty({ type: String, nullable: true, example: 'campaign.update' }) kind: string | null;
  /** When it is tried next; null where it is settled. */
  @ApiProperty({ ...TIME, nullable: true, example: '2026-10-01T08:00:10Z' }) @Unescaped() next_attempt_at:
    string | null;
  /** The replay that sends it again; null where it is sent for the first time. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true, example: null }) @Unescaped() replay_job_id: string | null;
  /** When it was delivered, given up or cancelled; null while it is pending. */
  @ApiProperty({ ...TIME, nullable: true, example: null }) @Unescaped() settled_at: string | null;
  /**
   * `PENDING` while it is tried, `DELIVERED` when the webhook answered with a 2xx status, `FAILED` when the last attempt
   * failed, `CANCELLED` when the webhook got invalid or was deleted before.
   */
  @ApiProperty(enumSchema(DELIVERY_STATES)) @Unescaped() state: DeliveryState;
}

/** A delivery with what belongs to it. */
export interface LoggedDelivery {
  delivery: Row<WebhookDelivery>;
  /** Undefined where the event is not kept any more. */
  kind: string | undefined;
  attempts: Row<WebhookAttempt>[];
}

export const presentDelivery = ({ delivery, kind, attempts }: LoggedDelivery): DeliveryView => ({
  attempts: attempts.map(({ startedAt, error, latencyMs, status }) => ({
    at: wireTime(startedAt),
    error,
    latency_ms: latencyMs,
    status,
  })),
  attempt_count: delivery.attempts,
  created_at: wireTime(delivery.createdAt),
  event_id: delivery.eventId,
  id: delivery.id,
  kind: kind ?? null,
  next_attempt_at: delivery.state === 'PENDING' ? wireTime(delivery.dueAt) : null,
  replay_job_id: delivery.replayId === '' ? null : delivery.replayId,
  settled_at: wireTime(delivery.settledAt),
  state: delivery.state,
});
