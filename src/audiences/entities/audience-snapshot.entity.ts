import { Column, Entity, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { TimestampColumn } from '../../common/entity/columns.js';

/** Whose people count: all persons, or directory users only (AUDIENCE_MATCHING). */
export const MATCHINGS = closedSet('Matching', ['ALL', 'DIRECTORY']);
export type Matching = (typeof MATCHINGS)[number];

/** The validity of an audience's slices. Counting an audience stores it; counting a tree reads it. */
@Entity('audience_snapshots')
export class AudienceSnapshot {
  @PrimaryColumn({ type: 'varchar', collation: 'C', primaryKeyConstraintName: 'audience_snapshots_key' })
  audienceId: string;
  /** The generation of the AudienceSizing before its people were read. The next upload makes the snapshot stale. */
  @Column({ type: 'integer' }) generation: number;
  @Column({ type: 'varchar' }) matching: Matching;
  /** The DirectoryChange to which its people were matched; 0 if matching is not required. */
  @Column({ type: 'integer' }) revision: number;
  /** Start of the period in which nobody joins or leaves by time. */
  @TimestampColumn() at: Date;
  /** End of that period; null if it does not end. */
  @TimestampColumn({ nullable: true }) until: Date | null;
}
