import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { SealedColumn } from '../credentials/sealed-columns.js';

/** The response to a request with an Idempotency-Key, stored with what the request changed. */
@Entity('idempotent_requests')
@Index('idempotent_requests_by_time', ['createdAt'])
@Index('idempotent_requests_of_user', ['userId'])
export class IdempotentRequest {
  /** The hash of the key, the application, the user and the account. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  /** Null if an application acts for itself. */
  @IdColumn({ nullable: true }) userId: string | null;
  @TimestampColumn() createdAt: Date;
  /** The hash of method, path and parameters, which a repetition must have. */
  @Column({ type: 'varchar', collation: 'C' }) fingerprint: string;
  @Column({ type: 'int' }) status: number;
  /** Sealed because some responses have secrets; null for a response without a body. */
  @SealedColumn({ nullable: true }) sealedBody: string | null;
}
