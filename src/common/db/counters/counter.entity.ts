import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The constraint that fails when a counter exceeds its limit. */
export const WITHIN_LIMIT = 'counters_within_limit';

/**
 * The number of items of a kind that an owner has, such as the active campaigns of an account. The storing statements
 * themselves change it, so that it is exact with any number of replicas. It is created with the first item of its kind.
 */
@Entity('counters')
@Check(WITHIN_LIMIT, '"value" >= 0')
export class Counter {
  /** The owner: the id of an account, a campaign, ... */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) ownerId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) kind: string;
  @Column({ type: 'integer' }) value: number;
  /** The limit; lowering it below the value deletes nothing. */
  @Column({ type: 'integer' }) limit: number;
}
