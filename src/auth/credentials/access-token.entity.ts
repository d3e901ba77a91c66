import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import type { AccessLevel } from './application.entity.js';
import { LookupColumn, SealedColumn } from './sealed-columns.js';

export const TOKEN_SOURCES = ['command', 'flow'] as const;

/** A user's permission for an application to act for them. */
@Entity('access_tokens')
@Index(['userId', 'applicationId'])
@Index(['applicationId'])
// A flow finds its pair again: there is one of each level. What a command made stands beside it.
@Index('access_tokens_one_of_flow', ['userId', 'applicationId', 'accessLevel'], {
  unique: true,
  where: `source = 'flow' AND "revokedAt" IS NULL`,
})
export class AccessToken {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  /** Keyed hash of the token: how it is found. */
  @LookupColumn('sealedToken') lookup: string;
  @SealedColumn() sealedToken: string;
  @SealedColumn() sealedSecret: string;
  @IdColumn() userId: string;
  @IdColumn() applicationId: string;
  @Column({ type: 'varchar' }) accessLevel: AccessLevel;
  /** Pairs made by a command are never those of a flow. */
  @Column({ type: 'varchar' }) source: (typeof TOKEN_SOURCES)[number];
  @TimestampColumn() createdAt: Date;
  @TimestampColumn({ nullable: true }) revokedAt: Date | null;
}
