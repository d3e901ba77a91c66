import { Entity, Index } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

export const PERMISSION_LEVELS = closedSet('PermissionLevel', ['READ_ONLY', 'READ_WRITE']);
export type PermissionLevel = (typeof PERMISSION_LEVELS)[number];

/** Another account's permission to target an audience, or to change it too. */
@Entity('audience_permissions')
@Index(['accountId', 'customAudienceId', 'id'])
@Index('audience_permissions_one_each', ['grantedAccountId', 'customAudienceId'], {
  unique: true,
  where: '"deletedAt" IS NULL',
})
export class AudiencePermission extends Resource {
  /** The account that owns the audience. */
  @IdColumn() accountId: string;
  @IdColumn() customAudienceId: string;
  @IdColumn() grantedAccountId: string;
  @WordColumn(PERMISSION_LEVELS) permissionLevel: PermissionLevel;
}
