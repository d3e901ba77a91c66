import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { SealedColumn } from '../credentials/sealed-columns.js';
import type { Scope } from '../credentials/scopes.js';

/**
 * What a user allows an application by OAuth 2.0: one row for both. Each approval raises the generation. Codes and tokens of an
 * earlier one are not valid, nor is any while the grant is revoked: so all of them end by one statement about this row.
 */
@Entity('oauth2_grants')
@Index('oauth2_grants_one_per_user', ['userId', 'applicationId'], { unique: true })
@Index(['applicationId'])
export class Grant {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() userId: string;
  @IdColumn() applicationId: string;
  @Column({ type: 'varchar', array: true }) scopes: Scope[];
  @Column({ type: 'integer', default: 1 }) generation: number;
  /** The time of the first approval after which it was not revoked. */
  @TimestampColumn() createdAt: Date;
  /** The time of the last approval. */
  @TimestampColumn() approvedAt: Date;
  @TimestampColumn({ nullable: true }) revokedAt: Date | null;
}

/** An authorization code, which is exchanged once. */
@Entity('oauth2_codes')
@Index(['grantId'])
@Index(['expiresAt'])
export class AuthorizationCode {
  /** The SHA-256 of the code. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() grantId: string;
  /** The generation of the grant that the approval began. */
  @Column({ type: 'integer' }) generation: number;
  @Column({ type: 'varchar' }) redirectUri: string;
  @Column({ type: 'varchar', array: true }) scopes: Scope[];
  @Column({ type: 'varchar' }) challenge: string;
  @Column({ type: 'varchar' }) challengeMethod: ChallengeMethod;
  @TimestampColumn() expiresAt: Date;
  @TimestampColumn({ nullable: true }) usedAt: Date | null;
}

export const CHALLENGE_METHODS = ['S256', 'plain'] as const;
export type ChallengeMethod = (typeof CHALLENGE_METHODS)[number];

/** An access or refresh token of a grant. */
@Entity('oauth2_tokens')
@Index(['grantId'])
@Index('oauth2_tokens_answered', ['usedAt'], { where: '"sealedAnswer" IS NOT NULL' })
@Index('oauth2_tokens_used', ['usedAt'], { where: '"usedAt" IS NOT NULL' })
@Index(['expiresAt'])
export class GrantToken {
  /** The SHA-256 of the token. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() grantId: string;
  @Column({ type: 'integer' }) generation: number;
  @Column({ type: 'varchar' }) kind: 'access' | 'refresh';
  @Column({ type: 'varchar', array: true }) scopes: Scope[];
  @TimestampColumn() expiresAt: Date;
  /** When a refresh token was exchanged. */
  @TimestampColumn({ nullable: true }) usedAt: Date | null;
  /** What the exchange answered, for a client that did not receive it. */
  @SealedColumn({ nullable: true }) sealedAnswer: string | null;
}
