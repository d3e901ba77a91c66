import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';

/** A claim that was used while the table decided. Unlogged: a crash of PostgreSQL empties it. */
@Entity('used_nonces')
export class UsedNonce {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) digest: string;
  @Index('IDX_used_nonces_expiresAt') @TimestampColumn() expiresAt: Date;
}

/** One row, unlogged like the nonces, that names what they are: another name, or none, says that they were lost. */
@Entity('nonce_generations')
export class NonceGeneration {
  @PrimaryColumn({ type: 'boolean' }) one: boolean;
  @Column({ type: 'varchar' }) generation: string;
}

/** A used claim that has to be known when the memory that took it is not asked any more. */
@Entity('handed_over_nonces')
export class HandedOverNonce {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) digest: string;
  @Index('IDX_handed_over_nonces_expiresAt') @TimestampColumn() expiresAt: Date;
}
