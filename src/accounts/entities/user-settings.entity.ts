import { Column, Entity, Index } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';
import { closedSet } from '../../common/values/closed-set.js';

export const EMAIL_TYPES = closedSet('SubscribedEmailType', ['ACCOUNT_PERFORMANCE', 'PERFORMANCE_IMPROVEMENT']);
export type EmailType = (typeof EMAIL_TYPES)[number];

/**
 * How a user of an account is reached. Only the user changes it, and it has neither history nor events, which others read.
 * It ends with the user's access.
 */
@Entity('user_settings')
@NotInSnapshots('they belong to the users of the account')
@Index(['userId', 'accountId'])
export class UserSettings {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) userId: string;
  @Column({ type: 'varchar', nullable: true }) notificationEmail: string | null;
  @Column({ type: 'varchar', nullable: true }) contactPhone: string | null;
  @Column({ type: 'varchar', nullable: true }) contactPhoneExtension: string | null;
  @Column({ type: 'varchar', array: true }) subscribedEmailTypes: EmailType[];
  @TimestampColumn() updatedAt: Date;
}
