import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';
import type { NonceStoreKind } from './nonce-store.js';

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

/** The epoch in force, in one row: which store decides on nonces, and since when. */
@Entity('nonce_epochs')
export class NonceEpoch {
  /** Always true: there is one row. */
  @PrimaryColumn({ type: 'boolean' }) one: boolean;
  /** The number of the epoch, incremented with each change. */
  @Column({ type: 'integer' }) epoch: number;
  @TimestampColumn() beganAt: Date;
  @Column({ type: 'varchar' }) store: NonceStoreKind;
  /** The generation of the store that decides. */
  @Column({ type: 'varchar' }) generation: string;
}

/** A process that admits requests. */
@Entity('replicas')
export class Replica {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  /** When it last read the epoch in force; 3 s later it admits nothing until it reads it again. */
  @TimestampColumn() seenAt: Date;
  /** The epoch to which it last handed over its recent nonces. */
  @Column({ type: 'integer' }) nonceEpoch: number;
  /** When it found Redis healthy again, while another store decides. */
  @TimestampColumn({ nullable: true }) redisSince: Date | null;
}
