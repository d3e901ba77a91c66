import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import type { AccessLevel } from '../credentials/application.entity.js';
import { LookupColumn, SealedColumn } from '../credentials/sealed-columns.js';

/** A request token: an application requests it, a user approves or refuses it, and it is exchanged once. */
@Entity('request_tokens')
@Index(['expiresAt'])
// Approved tokens that the application has not exchanged yet.
@Index('request_tokens_approved', ['userId', 'applicationId'], {
  where: '"userId" IS NOT NULL AND "endedAt" IS NULL',
})
export class RequestToken {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @LookupColumn('sealedToken') lookup: string;
  @SealedColumn() sealedToken: string;
  @SealedColumn() sealedSecret: string;
  @IdColumn() applicationId: string;
  /** Where the browser is sent afterwards; null in PIN mode. */
  @Column({ type: 'varchar', nullable: true }) callback: string | null;
  @Column({ type: 'varchar' }) accessLevel: AccessLevel;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() expiresAt: Date;
  /** The user who approved it, and the verifier or PIN that proves it. */
  @IdColumn({ nullable: true }) userId: string | null;
  @SealedColumn({ nullable: true }) sealedVerifier: string | null;
  /** Wrong verifiers so far. */
  @Column({ type: 'integer', default: 0 }) attempts: number;
  /** When it was exchanged, refused or voided. */
  @TimestampColumn({ nullable: true }) endedAt: Date | null;
}
