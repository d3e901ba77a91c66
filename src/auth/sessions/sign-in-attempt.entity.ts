import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';

/** How often signing in failed of late, for one username or from one address. */
@Entity('sign_in_attempts')
export class SignInAttempt {
  /** A digest that says whose failures these are; names that nobody has count too. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Column({ type: 'integer' }) failures: number;
  @TimestampColumn() blockedUntil: Date;
  @Index() @TimestampColumn() triedAt: Date;
}
