import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { WEBHOOK_FAULTS, type WebhookFault } from '../../webhooks/deliveries/delivery-faults.js';
import { CONNECTION_FAULTS, FAULT_PHASES, type ConnectionFault, type Fault, type FaultPhase } from './fault.entity.js';

/** A fault, and how often it was applied. */
export class FaultView {
  /** The account whose requests or events it concerns; null for all. */
  @ApiProperty({ ...ID, nullable: true, example: null }) account_id: string | null;
  /** Whether it can still apply: it has not expired, was not applied `times` times, and its probability is above 0. */
  @ApiProperty({ example: true }) active: boolean;
  /** Whether the request is carried out before its response is replaced. */
  @ApiProperty(enumSchema(FAULT_PHASES)) @Unescaped() applied: FaultPhase;
  /** The number of requests or deliveries that it was applied to. */
  @ApiProperty({ type: 'integer', example: 1 }) applied_count: number;
  /** When the fault was created. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() created_at: string;
  /** The code of the error; null for that of the status. */
  @ApiProperty({ type: String, nullable: true, example: 'SERVICE_UNAVAILABLE' }) error_code: string | null;
  /** The status of the error that replaces the response; null without one. */
  @ApiProperty({ type: 'integer', nullable: true, example: 503 }) error_status: number | null;
  /** The kind of the events whose deliveries it concerns; null for all events. */
  @ApiProperty({ type: String, nullable: true, example: null }) event: string | null;
  /** When it ends. */
  @ApiProperty({ ...TIME, example: '2026-10-02T08:00:00Z' }) @Unescaped() expires_at: string;
  /** What happens to the connection; null for a response. */
  @ApiProperty({ ...enumSchema(CONNECTION_FAULTS), nullable: true, example: null }) fault: ConnectionFault | null;
  /** The id of the fault: the value of `x-marquee-fault` in responses that it changed, and in requests to webhooks. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() id: string;
  /** When it was last applied; null if it was not. */
  @ApiProperty({ ...TIME, nullable: true, example: '2026-10-01T08:00:07Z' }) last_applied_at: string | null;
  /** Latency in milliseconds, or a range of it; null without one. With `webhook_fault`, how long a delivery waits. */
  @ApiProperty({ type: String, nullable: true, example: '100..500' }) latency_ms: string | null;
  /** The operation whose requests it concerns; null for all operations. */
  @ApiProperty({ type: String, nullable: true, example: 'createCampaign' }) operation: string | null;
  /** The share of the requests or deliveries that it applies to. */
  @ApiProperty({ type: Number, example: 1 }) probability: number;
  /** The remaining requests that the rate limit headers show; null without a rate limit. */
  @ApiProperty({ type: 'integer', nullable: true, example: null }) rate_limit_remaining: number | null;
  /** When its rate limit window ends; null without a rate limit. */
  @ApiProperty({ ...TIME, nullable: true, example: null }) rate_limit_reset_at: string | null;
  /** How often it applies; null without a limit. */
  @ApiProperty({ type: 'integer', nullable: true, example: 3 }) times: number | null;
  /** When the fault was last created or replaced. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() updated_at: string;
  /** What happens to deliveries to webhooks; null for a fault of requests. */
  @ApiProperty({ ...enumSchema(WEBHOOK_FAULTS), nullable: true, example: null })
  @Unescaped()
  webhook_fault: WebhookFault | null;
  /** The webhook whose deliveries it concerns; null for all webhooks. */
  @ApiProperty({ ...ID, nullable: true, example: null }) webhook_id: string | null;
}

/** A fault, and whether it can still apply. */
export interface StoredFault {
  fault: Row<Fault>;
  isActive: boolean;
}

/** The result of a deletion. */
export class FaultDeletedView {
  /** Always true. */
  @ApiProperty({ example: true }) deleted: boolean;
}

export const presentFault = ({ fault, isActive }: StoredFault): FaultView => ({
  account_id: fault.accountId,
  active: isActive,
  applied: fault.applied,
  applied_count: fault.appliedCount,
  created_at: wireTime(fault.createdAt),
  error_code: fault.errorCode,
  error_status: fault.errorStatus,
  event: fault.event,
  expires_at: wireTime(fault.expiresAt),
  fault: fault.fault,
  id: fault.id,
  last_applied_at: fault.lastAppliedAt && wireTime(fault.lastAppliedAt),
  latency_ms: latencyText(fault),
  operation: fault.operation,
  probability: fault.probability,
  rate_limit_remaining: fault.rateLimitRemaining,
  rate_limit_reset_at: fault.rateLimitResetAt && wireTime(fault.rateLimitResetAt),
  times: fault.times,
  updated_at: wireTime(fault.updatedAt),
  webhook_fault: fault.webhookFault,
  webhook_id: fault.webhookId,
});

function latencyText({ minLatencyMs: min, maxLatencyMs: max }: Row<Fault>): string | null {
  if (min === null || max === null) return null;
  return min === max ? `${min}` : `${min}..${max}`;
}
