import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';
import type { NonceStoreKind } from './nonce-store.js';

/** One row: which memory decides on nonces now, and since when. */
@Entity('nonce_epochs')
export class NonceEpoch {
  @PrimaryColumn({ type: 'boolean' }) one: boolean;
  /** Counts the changes. */
  @Column({ type: 'integer' }) epoch: number;
  @TimestampColumn() beganAt: Date;
  @Column({ type: 'varchar' }) store: NonceStoreKind;
  @Column({ type: 'varchar' }) generation: string;
}

/** A process that decides on requests. */
@Entity('replicas')
export class Replica {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  /** When it last was known to know the epoch in force; it decides on nothing 3 s after. */
  @TimestampColumn() seenAt: Date;
  /** The epoch that it has handed its latest claims over to. */
  @Column({ type: 'integer' }) nonceEpoch: number;
  /** Since when it finds Redis well, while another memory decides. */
  @TimestampColumn({ nullable: true }) redisSince: Date | null;
}
