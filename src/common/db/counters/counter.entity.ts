import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The constraint that a counter raised beyond its limit violates. */
export const WITHIN_LIMIT = 'counters_within_limit';

/**
 * How many of a kind something has, such as the active campaigns of an account, raised and lowered by the very statements
 * that store: exact however many replicas write. It comes into being with the first of its kind.
 */
@Entity('counters')
@Check(WITHIN_LIMIT, '"value" >= 0')
export class Counter {
  /** What has them: the id of an account, a campaign, ... */
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) ownerId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) kind: string;
  @Column({ type: 'integer' }) value: number;
  /** The most there can be; lowering it below the value takes nothing away. */
  @Column({ type: 'integer' }) limit: number;
}
