import { Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { LookupColumn, SealedColumn } from '../credentials/sealed-columns.js';

/** The token with which an application acts on its own behalf. An application has one at a time. */
@Entity('bearer_tokens')
@Index('bearer_tokens_one_per_application', ['applicationId'], { unique: true, where: '"revokedAt" IS NULL' })
export class BearerToken {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @LookupColumn('sealedToken') lookup: string;
  @SealedColumn() sealedToken: string;
  @IdColumn() applicationId: string;
  @TimestampColumn() createdAt: Date;
  @Index() @TimestampColumn({ nullable: true }) revokedAt: Date | null;
}
