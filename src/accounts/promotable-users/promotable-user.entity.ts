import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';
import { defineResource } from '../resource-definition.js';

export const PROMOTABLE_USER_TYPES = closedSet('PromotableUserType', ['FULL', 'RETWEETS_ONLY']);
export type PromotableUserType = (typeof PROMOTABLE_USER_TYPES)[number];

/** A user whose posts an account may promote: its own or another user. At most one is FULL. */
@Entity('promotable_users')
@NotInSnapshots('operators manage whose posts an account may promote')
@Index(['accountId', 'userId'], { unique: true, where: '"deletedAt" IS NULL' })
@Index('promotable_users_one_full', ['accountId'], {
  unique: true,
  where: `"promotableUserType" = 'FULL' AND "deletedAt" IS NULL`,
})
export class PromotableUser extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() userId: string;
  @Column({ type: 'varchar' }) promotableUserType: PromotableUserType;
}

/** Commands create and delete promotable users, and no event reports that. Existing promotions stay unchanged. */
export const PROMOTABLE_USERS = defineResource<PromotableUser>({
  entity: PromotableUser,
  name: 'PROMOTABLE_USER',
  label: 'Promotable User',
  parameter: 'promotable_user_id',
  events: false,
});
