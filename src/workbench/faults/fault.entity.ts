import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';
import type { WebhookFault } from '../../webhooks/deliveries/delivery-faults.js';

/** The fault of the connection instead of a response. */
export const CONNECTION_FAULTS = closedSet('ConnectionFault', [
  'EMPTY_RESPONSE',
  'MALFORMED_RESPONSE_CHUNK',
  'RANDOM_DATA_THEN_CLOSE',
  'CONNECTION_RESET_BY_PEER',
]);
export type ConnectionFault = (typeof CONNECTION_FAULTS)[number];

/** The phase of a request in which a fault applies. */
export const FAULT_PHASES = closedSet('FaultPhase', ['BEFORE_COMMIT', 'AFTER_COMMIT']);
export type FaultPhase = (typeof FAULT_PHASES)[number];

/** Counts the faults of an application. */
export const COUNTED_FAULTS = 'faults';
/** Maximum number of faults of an application, with those that have ended but are still stored. */
export const MAX_FAULTS = 100;

/** A fault that the requests of an application meet, or the deliveries to its webhooks. It ends at `expiresAt`, or once it was applied `times` times. */
@Entity('faults')
@NotInSnapshots('faults belong to applications')
@Index('faults_of_application', ['applicationId', 'id'])
@Index('faults_expire', ['expiresAt'])
export class Fault {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() applicationId: string;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() updatedAt: Date;
  @TimestampColumn() expiresAt: Date;
  /** An operation id, or a method and a path; null for all operations. */
  @Column({ type: 'varchar', nullable: true }) operation: string | null;
  @IdColumn({ nullable: true }) accountId: string | null;
  @Column({ type: 'double precision' }) probability: number;
  /** The number of times that it applies; null without a limit. */
  @Column({ type: 'int', nullable: true }) times: number | null;
  @Column({ type: 'int' }) appliedCount: number;
  @TimestampColumn({ nullable: true }) lastAppliedAt: Date | null;
  @Column({ type: 'varchar' }) applied: FaultPhase;
  /** The shortest and the longest latency; null without a latency. */
  @Column({ type: 'int', nullable: true }) minLatencyMs: number | null;
  @Column({ type: 'int', nullable: true }) maxLatencyMs: number | null;
  @Column({ type: 'int', nullable: true }) errorStatus: number | null;
  @Column({ type: 'varchar', nullable: true }) errorCode: string | null;
  @Column({ type: 'varchar', nullable: true }) fault: ConnectionFault | null;
  @Column({ type: 'int', nullable: true }) rateLimitRemaining: number | null;
  @TimestampColumn({ nullable: true }) rateLimitResetAt: Date | null;
  /** The fault of deliveries; null for a fault of requests. */
  @Column({ type: 'varchar', nullable: true }) webhookFault: WebhookFault | null;
  /** The webhook whose deliveries it concerns; null for all webhooks. */
  @IdColumn({ nullable: true }) webhookId: string | null;
  /** A kind of event, or `campaign.*`; null for all events. */
  @Column({ type: 'varchar', nullable: true }) event: string | null;
}
