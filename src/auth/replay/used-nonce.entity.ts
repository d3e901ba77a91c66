import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';

/** A nonce that was used while the table decided. Unlogged: a crash of PostgreSQL empties it. */
@Entity('used_nonces')
export class UsedNonce {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) digest: string;
  @Index('IDX_used_nonces_expiresAt') @TimestampColumn() expiresAt: Date;
}

/**
 * The generation of `used_nonces`, in one row of an unlogged table: another name, or none, means that nonces were lost.
 */
@Entity('nonce_generations')
export class NonceGeneration {
  /** Always true: there is one row. */
  @PrimaryColumn({ type: 'boolean' }) one: boolean;
  @Column({ type: 'varchar' }) generation: string;
}

/** A used nonce that later epochs must know, because the store that recorded it may have lost it. Logged. */
@Entity('handed_over_nonces')
export class HandedOverNonce {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) digest: string;
  @Index('IDX_handed_over_nonces_expiresAt') @TimestampColumn() expiresAt: Date;
}
