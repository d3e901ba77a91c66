import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';

/** Counts the namespaces of an application. */
export const COUNTED_NAMESPACES = 'namespaces';
/** Maximum number of namespaces of an application. */
export const MAX_NAMESPACES = 200;

/** An application, a user and accounts for one run of tests. All of it is deleted after `expiresAt`. */
@Entity('namespaces')
@NotInSnapshots('namespaces belong to applications')
@Index('namespaces_of_application', ['applicationId', 'id'])
@Index('namespaces_expire', ['expiresAt'])
@Index('namespaces_inside', ['innerApplicationId'], { unique: true })
export class Namespace {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  /** The application whose owner created it. */
  @IdColumn() applicationId: string;
  @TimestampColumn() createdAt: Date;
  @TimestampColumn() expiresAt: Date;
  @Column({ type: 'varchar' }) name: string;
  /** The application in it. */
  @IdColumn() innerApplicationId: string;
  /** The user in it, who owns that application. */
  @IdColumn() userId: string;
  @Column({ type: 'varchar' }) username: string;
  @IdColumn() accountId: string;
  @IdColumn() sandboxAccountId: string;
  @IdColumn() fundingInstrumentId: string;
  @IdColumn() sandboxFundingInstrumentId: string;
}
