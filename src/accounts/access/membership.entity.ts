import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from '../../common/entity/columns.js';
import type { Role } from './roles.js';

/** That a user may act on an account, and as what. */
@Entity('account_memberships')
@Index(['userId', 'accountId'])
export class Membership {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) accountId: string;
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) userId: string;
  @Column({ type: 'varchar' }) role: Role;
  /** May make promoted-only posts for the advertiser; counts with the roles that allow it. */
  @Column({ type: 'boolean', default: true }) postComposer: boolean;
  @TimestampColumn() createdAt: Date;
}
