import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { PERMISSION_LEVELS, type AudiencePermission, type PermissionLevel } from './audience-permission.entity.js';

/** Permission of another account on an audience. The JSON keeps the order of these fields. */
export class CustomAudiencePermissionView {
  /** The id of the shared audience. */
  @ApiProperty(ID) @Unescaped() custom_audience_id: string;
  /** The permission level of the other account. */
  @ApiProperty(enumSchema(PERMISSION_LEVELS)) @Unescaped() permission_level: PermissionLevel;
  /** The id of the permission. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** When the permission was created. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** The account with which the audience is shared. */
  @ApiProperty(ID) @Unescaped() granted_account_id: string;
  /** When the permission was last updated. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** Whether the permission is deleted. */
  @ApiProperty() deleted: boolean;
}

/** The same permission under the names of version 5. */
export class TailoredAudiencePermissionView {
  /** The id of the shared audience. */
  @ApiProperty(ID) @Unescaped() tailored_audience_id: string;
  /** The permission level of the other account. */
  @ApiProperty(enumSchema(PERMISSION_LEVELS)) @Unescaped() permission_level: PermissionLevel;
  /** The id of the permission. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** When the permission was created. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** The account with which the audience is shared. */
  @ApiProperty(ID) @Unescaped() granted_account_id: string;
  /** When the permission was last updated. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** Whether the permission is deleted. */
  @ApiProperty() deleted: boolean;
}

const presentGrant = (permission: Row<AudiencePermission>) => ({
  permission_level: permission.permissionLevel,
  id: permission.id,
  created_at: wireTime(permission.createdAt),
  granted_account_id: permission.grantedAccountId,
  updated_at: wireTime(permission.updatedAt),
  deleted: permission.deletedAt !== null,
});

export const presentCustomPermission = (permission: Row<AudiencePermission>): CustomAudiencePermissionView => ({
  custom_audience_id: permission.customAudienceId,
  ...presentGrant(permission),
});

export const presentTailoredPermission = (permission: Row<AudiencePermission>): TailoredAudiencePermissionView => ({
  tailored_audience_id: permission.customAudienceId,
  ...presentGrant(permission),
});
