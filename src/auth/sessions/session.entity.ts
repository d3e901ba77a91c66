import { Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/** A browser in which a user is signed in. */
@Entity('sessions')
export class Session {
  /** SHA-256 of what the cookie holds: who reads the table cannot take the session over. */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Index() @IdColumn() userId: string;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() seenAt: Date;
  /** Moves on while the session is used, never beyond its longest life. */
  @Index() @TimestampColumn() expiresAt: Date;
}
