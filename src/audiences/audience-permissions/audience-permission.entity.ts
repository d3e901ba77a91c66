import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

export const PERMISSION_LEVELS = closedSet('PermissionLevel', ['READ_ONLY', 'READ_WRITE']);
export type PermissionLevel = (typeof PERMISSION_LEVELS)[number];

/** That another account may target an audience, or change it too. */
@Entity('audience_permissions')
@Index(['accountId', 'customAudienceId', 'id'])
@Index('audience_permissions_one_each', ['grantedAccountId', 'customAudienceId'], {
  unique: true,
  where: '"deletedAt" IS NULL',
})
export class AudiencePermission extends Resource {
  /** Whose audience it is. */
  @IdColumn() accountId: string;
  @IdColumn() customAudienceId: string;
  @IdColumn() grantedAccountId: string;
  @Column({ type: 'varchar' }) permissionLevel: PermissionLevel;
}
