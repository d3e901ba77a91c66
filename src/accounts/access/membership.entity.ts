import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';
import type { Role } from './roles.js';

/** A user's access to an account, with their role. */
@Entity('account_memberships')
@NotInSnapshots('members keep their access')
@Index(['userId', 'accountId'])
export class Membership {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) accountId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) userId: string;
  @Column({ type: 'varchar' }) role: Role;
  /** Allows promoted-only posts for the advertiser, if the role permits them. */
  @Column({ type: 'boolean', default: true }) postComposer: boolean;
  @TimestampColumn() createdAt: Date;
}
