import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Into how many slices people are divided by the last bits of their numbers: what one needs fits the processor's cache. */
export const SLICES = 256;

/** People of an audience of one slice who were uploaded on the same days as often. */
@Entity('audience_snapshot_slices')
export class AudienceSnapshotSlice {
  @PrimaryColumn({ type: 'varchar', collation: 'C', primaryKeyConstraintName: 'audience_snapshot_slices_key' })
  audienceId: string;
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'audience_snapshot_slices_key' }) slice: number;
  /** Tells them apart within the slice. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'audience_snapshot_slices_key' }) place: number;
  /** As of AudienceIdentifier. */
  @Column({ type: 'integer' }) lastDay: number;
  @Column({ type: 'integer' }) updates: number;
  @Column({ type: 'integer', array: true, nullable: true }) earlier: number[] | null;
  /** Persons, or where these are matched the directory users that they are; one may be there several times. */
  @Column({ type: 'bigint', array: true }) people: string[];
}
