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

/** Number of slices, by the last bits of people's numbers. The data of one slice fits the processor's cache. */
export const SLICES = 256;

/** People in a slice of an audience with the same upload days and numbers of uploads. */
@Entity('audience_snapshot_slices')
export class AudienceSnapshotSlice {
  @PrimaryColumn({ type: 'varchar', collation: 'C', primaryKeyConstraintName: 'audience_snapshot_slices_key' })
  audienceId: string;
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'audience_snapshot_slices_key' }) slice: number;
  /** Distinguishes these groups within the slice. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'audience_snapshot_slices_key' }) place: number;
  /** The same as in AudienceIdentifier. */
  @Column({ type: 'integer' }) lastDay: number;
  @Column({ type: 'integer' }) updates: number;
  @Column({ type: 'integer', array: true, nullable: true }) earlier: number[] | null;
  /** Persons, or the matched directory users, which may repeat. */
  @Column({ type: 'bigint', array: true }) people: string[];
}
