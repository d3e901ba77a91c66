import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/** A user's session in a browser. */
@Entity('sessions')
export class Session {
  /** SHA-256 of the cookie's value, so that nobody can take over a session by reading the table. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Index() @IdColumn() userId: string;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() seenAt: Date;
  /** Moves forward while the session is used, up to its maximum lifetime. */
  @Index() @TimestampColumn() expiresAt: Date;
}

/** Recent failed sign-ins for one username or from one address. */
@Entity('sign_in_attempts')
export class SignInAttempt {
  /** A digest of the username or address. Usernames that do not exist have rows too. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Column({ type: 'integer' }) failures: number;
  @TimestampColumn() blockedUntil: Date;
  @Index() @TimestampColumn() triedAt: Date;
}
