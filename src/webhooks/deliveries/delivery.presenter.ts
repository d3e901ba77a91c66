import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import type { ListedAttempt } from './delivery.statements.js';
import {
  DELIVERY_STATES,
  type WebhookDelivery,
  type WebhookDeliveryState,
} from '../entities/webhook-delivery.entity.js';

/** An attempt to deliver an event to a webhook. */
export class DeliveryAttemptView {
  /** When the attempt started. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() at: string;
  /** Why the attempt failed; null if it succeeded. */
  @ApiProperty({ type: String, nullable: true, example: 'The response had status 503.' }) error: string | null;
  /** The id of the fault of the workbench that the attempt met; null without one. */
  @ApiProperty({ ...ID, nullable: true, example: null }) fault: string | null;
  /** Duration of the attempt, in milliseconds. */
  @ApiProperty({ type: 'integer', example: 48 }) latency_ms: number;
  /** The HTTP status of the response; null if there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 503 }) status: number | null;
}

/** The delivery of an event to a webhook. */
export class DeliveryView {
  /** The attempts of the last seven days, oldest first; at most the last 20. */
  @ApiProperty({ type: [DeliveryAttemptView] }) attempts: DeliveryAttemptView[];
  /** Total number of attempts. */
  @ApiProperty({ type: 'integer', example: 1 }) attempt_count: number;
  /** When the delivery was created. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() created_at: string;
  /** The id of the event. The request contains it as `event_id` and in `webhook-id`. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() event_id: string;
  /** The id of the fault of the workbench that the next attempt carries out; null without one. */
  @ApiProperty({ ...ID, nullable: true, example: null }) fault: string | null;
  /** The id of the delivery. */
  @ApiProperty({ type: String, example: '2k0hx5m1q9zta-1146654567674912' }) @Unescaped() id: string;
  /** The kind of the event. */
  @ApiProperty({ type: String, nullable: true, example: 'campaign.update' }) kind: string | null;
  /** When the next attempt is due; null if the delivery is completed. */
  @ApiProperty({ ...TIME, nullable: true, example: '2026-10-01T08:00:10Z' }) @Unescaped() next_attempt_at:
    string | null;
  /** The replay that resends the event; null for a first delivery. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true, example: null }) @Unescaped() replay_job_id: string | null;
  /** When the delivery was delivered, failed or cancelled; null while it is pending. */
  @ApiProperty({ ...TIME, nullable: true, example: null }) @Unescaped() settled_at: string | null;
  /**
   * `PENDING`: attempts continue. `DELIVERED`: the webhook responded with a 2xx status, or a fault dropped the event. `FAILED`: the last attempt
   * failed. `CANCELLED`: the webhook became invalid or was deleted first.
   */
  @ApiProperty(enumSchema(DELIVERY_STATES)) @Unescaped() state: WebhookDeliveryState;
}

/** A delivery with its event kind and attempts. */
export interface LoggedDelivery {
  delivery: Row<WebhookDelivery>;
  /** Undefined if the event is no longer stored. */
  kind: string | undefined;
  attempts: ListedAttempt[];
}

export const presentDelivery = ({ delivery, kind, attempts }: LoggedDelivery): DeliveryView => ({
  attempts: attempts.map(({ startedAt, error, fault, latencyMs, status }) => ({
    at: wireTime(startedAt),
    error,
    fault,
    latency_ms: latencyMs,
    status,
  })),
  attempt_count: delivery.attempts,
  created_at: wireTime(delivery.createdAt),
  event_id: delivery.eventId,
  fault: delivery.fault,
  id: delivery.id,
  kind: kind ?? null,
  next_attempt_at: delivery.state === 'PENDING' ? wireTime(delivery.dueAt) : null,
  replay_job_id: delivery.replayId === '' ? null : delivery.replayId,
  settled_at: wireTime(delivery.settledAt),
  state: delivery.state,
});
