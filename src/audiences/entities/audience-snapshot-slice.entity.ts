import { Column, Entity, PrimaryColumn } from 'typeorm';

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
