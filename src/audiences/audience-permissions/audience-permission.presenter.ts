import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { PERMISSION_LEVELS, type AudiencePermission, type PermissionLevel } from './audience-permission.entity.js';

/** What another account may do with an audience. Written in the order of these fields. */
export class CustomAudiencePermissionView {
  /** The audience that is shared. */
  @ApiProperty(ID) @Unescaped() custom_audience_id: string;
  /** What the other account may do with it. */
  @ApiProperty(enumSchema(PERMISSION_LEVELS)) @Unescaped() permission_level: PermissionLevel;
  /** Its id. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** When it was made. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** The account that the audience is shared with. */
  @ApiProperty(ID) @Unescaped() granted_account_id: string;
  /** When it was changed last. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** Whether it is deleted. */
  @ApiProperty() deleted: boolean;
}

/** The same as version 5 calls it. */
export class TailoredAudiencePermissionView {
  /** The audience that is shared. */
  @ApiProperty(ID) @Unescaped() tailored_audience_id: string;
  /** What the other account may do with it. */
  @ApiProperty(enumSchema(PERMISSION_LEVELS)) @Unescaped() permission_level: PermissionLevel;
  /** Its id. */
  @ApiProperty(ID) @Unescaped() id: string;
  /** When it was made. */
  @ApiProperty(TIME) @Unescaped() created_at: string;
  /** The account that the audience is shared with. */
  @ApiProperty(ID) @Unescaped() granted_account_id: string;
  /** When it was changed last. */
  @ApiProperty(TIME) @Unescaped() updated_at: string;
  /** Whether it is deleted. */
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
