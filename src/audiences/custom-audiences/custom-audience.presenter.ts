import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { presentResource, ResourceView } from '../../common/http/responses.js';
import { PERMISSION_LEVELS, type PermissionLevel } from '../audience-permissions/audience-permission.entity.js';
import {
  AUDIENCE_TYPES,
  REASONS_NOT_TARGETABLE,
  type AudienceType,
  type CustomAudience,
  type ReasonNotTargetable,
} from './custom-audience.entity.js';

export const TARGETABLE_TYPES = ['CRM', 'EXCLUDED_CRM', 'FLEXIBLE', 'EXCLUDED_FLEXIBLE'] as const;
export type TargetableType = (typeof TARGETABLE_TYPES)[number];

/** Part 1, 2.3. */
export class CustomAudienceView extends ResourceView {
  @ApiProperty() targetable: boolean;
  @ApiProperty() name: string;
  @ApiProperty({ enum: TARGETABLE_TYPES, isArray: true }) targetable_types: readonly TargetableType[];
  @ApiProperty({ enum: AUDIENCE_TYPES }) audience_type: AudienceType;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty({ enum: PERMISSION_LEVELS, description: 'what the asking account may do with it' })
  permission_level: PermissionLevel;
  @ApiProperty({ format: 'id' }) owner_account_id: string;
  @ApiProperty({ description: 'whether it is the asking account that owns it' }) is_owner: boolean;
  @ApiProperty({ enum: REASONS_NOT_TARGETABLE, isArray: true }) reasons_not_targetable: ReasonNotTargetable[];
  @ApiProperty({ example: 'OTHER' }) partner_source: string;
  @ApiProperty({ type: 'integer', nullable: true }) audience_size: number | null;
}

/** An audience as an account sees it: its own, or one it was granted. */
export interface SeenAudience {
  audience: Row<CustomAudience>;
  /** Of the asking account; null where that owns it. */
  granted: PermissionLevel | null;
}

/** As its owner sees it. */
export const presentOwnAudience = (audience: Row<CustomAudience>): CustomAudienceView =>
  presentCustomAudience({ audience, granted: null });

const CRM_TYPES = ['CRM', 'EXCLUDED_CRM'] as const;
const FLEXIBLE_TYPES = ['FLEXIBLE', 'EXCLUDED_FLEXIBLE'] as const;

export const presentCustomAudience = ({ audience, granted }: SeenAudience): CustomAudienceView =>
  presentResource(audience, {
    targetable: audience.reasonsNotTargetable.length === 0,
    name: audience.name,
    targetable_types: audience.audienceType === 'FLEXIBLE' ? FLEXIBLE_TYPES : CRM_TYPES,
    audience_type: audience.audienceType,
    description: audience.description,
    permission_level: granted ?? 'READ_WRITE',
    owner_account_id: audience.accountId,
    is_owner: granted === null,
    reasons_not_targetable: audience.reasonsNotTargetable,
    partner_source: audience.partnerSource,
    audience_size: audience.audienceSize,
  });
