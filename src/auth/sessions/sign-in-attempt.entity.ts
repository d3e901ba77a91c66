import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';

/** Recent failed sign-ins for one username or from one address. */
@Entity('sign_in_attempts')
export class SignInAttempt {
  /** A digest of the username or address. Usernames that do not exist have rows too. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Column({ type: 'integer' }) failures: number;
  @TimestampColumn() blockedUntil: Date;
  @Index() @TimestampColumn() triedAt: Date;
}
