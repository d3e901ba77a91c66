import { ApiProperty } from '@nestjs/swagger';
import { closedSet } from '../../common/closed-set.js';
import type { Row } from '../../common/db/query/rows.js';
import { words } from '../../common/http/fields.js';
import { ID, presentResource, ResourceView } from '../../common/http/responses.js';
import { PERMISSION_LEVELS, type PermissionLevel } from '../audience-permissions/audience-permission.entity.js';
import {
  AUDIENCE_TYPES,
  REASONS_NOT_TARGETABLE,
  type AudienceType,
  type CustomAudience,
  type ReasonNotTargetable,
} from './custom-audience.entity.js';

export const TARGETABLE_TYPES = closedSet('TargetableType', ['CRM', 'EXCLUDED_CRM', 'FLEXIBLE', 'EXCLUDED_FLEXIBLE']);
export type TargetableType = (typeof TARGETABLE_TYPES)[number];

/** Part 1, 2.3. */
export class CustomAudienceView extends ResourceView {
  /** Whether campaigns can be shown to it. */
  @ApiProperty() targetable: boolean;
  /** What the audience is called. */
  @ApiProperty() name: string;
  /** As what it can be targeted. */
  @ApiProperty({ ...words(TARGETABLE_TYPES), isArray: true }) targetable_types: readonly TargetableType[];
  /** What it is made of. */
  @ApiProperty(words(AUDIENCE_TYPES)) audience_type: AudienceType;
  /** A note on whom it holds. */
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  /** What the asking account may do with it. */
  @ApiProperty(words(PERMISSION_LEVELS)) permission_level: PermissionLevel;
  /** The account that owns it. */
  @ApiProperty(ID) owner_account_id: string;
  /** Whether that is the asking account. */
  @ApiProperty() is_owner: boolean;
  /** Why it cannot be targeted; empty where it can. */
  @ApiProperty({ ...words(REASONS_NOT_TARGETABLE), isArray: true }) reasons_not_targetable: ReasonNotTargetable[];
  /** Who provided the people. */
  @ApiProperty({ example: 'OTHER' }) partner_source: string;
  /** How many people it holds; null while that is not known, and where it is too small to be told. */
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
