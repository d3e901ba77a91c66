import { Entity, Index } from 'typeorm';
import type { Row } from '../../common/db/query/rows.js';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, RefersTo, SpecialReference } from '../../common/entity/snapshots.js';
import type { CustomAudience } from '../entities/custom-audience.entity.js';

export const PERMISSION_LEVELS = closedSet('PermissionLevel', ['READ_ONLY', 'READ_WRITE']);
export type PermissionLevel = (typeof PERMISSION_LEVELS)[number];

/** Another account's permission to target an audience, or to change it too. */
@Entity('audience_permissions')
@InSnapshots()
@Index(['accountId', 'customAudienceId', 'id'])
@Index('audience_permissions_one_each', ['grantedAccountId', 'customAudienceId'], {
  unique: true,
  where: '"deletedAt" IS NULL',
})
export class AudiencePermission extends Resource {
  /** The account that owns the audience. */
  @IdColumn() accountId: string;
  @IdColumn() @RefersTo('custom_audiences') customAudienceId: string;
  @IdColumn() @SpecialReference('an import requires that the account may share with it') grantedAccountId: string;
  @WordColumn(PERMISSION_LEVELS) permissionLevel: PermissionLevel;
}

/** An audience as an account sees it: its own or a shared one. */
export interface SeenAudience {
  audience: Row<CustomAudience>;
  /** The permission of the requesting account; null if it owns the audience. */
  granted: PermissionLevel | null;
}
