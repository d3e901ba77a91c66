import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';

/** Counts the snapshots of an application. */
export const COUNTED_SNAPSHOTS = 'snapshots';
/** Maximum number of snapshots of an application. */
export const MAX_SNAPSHOTS = 20;
/** Maximum number of rows of a snapshot, and their bytes. */
export const MAX_SNAPSHOT_ROWS = 20_000;
export const MAX_SNAPSHOT_BYTES = 16 * 1024 * 1024;

/** The saved state of sandbox accounts, which belongs to an application. Its content is in SnapshotPart. */
@Entity('snapshots')
@Index('snapshots_one_name', ['applicationId', 'name'], { unique: true })
export class Snapshot {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @IdColumn() applicationId: string;
  @TimestampColumn() createdAt: Date;
  /** When it was last saved. */
  @TimestampColumn() updatedAt: Date;
  @IdColumn() name: string;
  @Column({ type: 'varchar', array: true }) accountIds: string[];
  @Column({ type: 'int' }) rows: number;
  @Column({ type: 'int' }) bytes: number;
}

/** The rows of one table that one account of a snapshot has; none where the account has none. */
@Entity('snapshot_parts')
@NotInSnapshots('a snapshot does not contain snapshots')
export class SnapshotPart {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) snapshotId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) accountId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) table: string;
  /** The columns of the table when the snapshot was saved. A release may add others, which get their defaults. */
  @Column({ type: 'varchar', array: true }) columns: string[];
  /** A list of rows. `json`, because `jsonb` would change the order of what JSON columns contain. */
  @Column({ type: 'json' }) content: object[];
  @Column({ type: 'int' }) rows: number;
}
