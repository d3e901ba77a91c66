import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { closedSet } from '../../common/closed-set.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, presentResource, ResourceView, WrittenAs } from '../../common/http/answers/responses.js';
import { PERMISSION_LEVELS, type PermissionLevel } from '../audience-permissions/audience-permission.entity.js';
import {
  AUDIENCE_TYPES,
  REASONS_NOT_TARGETABLE,
  type AudienceType,
  type CustomAudience,
  type ReasonNotTargetable,
} from '../entities/custom-audience.entity.js';
import { SEGMENT, SegmentView, WRITTEN_SEGMENT } from './segment.presenter.js';
import type { Segment } from '../entities/segments.js';
import type { SeenAudience } from '../audience-permissions/seen-audience.js';

export const TARGETABLE_TYPES = closedSet('TargetableType', ['CRM', 'EXCLUDED_CRM', 'FLEXIBLE', 'EXCLUDED_FLEXIBLE']);
export type TargetableType = (typeof TARGETABLE_TYPES)[number];

const OF_FLEXIBLE = 'Of flexible audiences only.';

/** What a flexible audience is made of. */
@ApiExtraModels(SegmentView)
export class AudienceMetadataView {
  /** The audience itself. */
  @ApiProperty(ID) custom_audience_id: string;
  /** The account that owns it. */
  @ApiProperty(ID) account_id: string;
  /** What the audience is called. */
  @ApiProperty() name: string;
  /** How it came about. */
  @ApiProperty({ example: 'FLEXIBLE_AUDIENCE' }) audience_source: string;
  /** That its segments are there. */
  @ApiProperty({ example: 'UPLOADED' }) upload_status: string;
  /** Who belongs to it: the outermost segment. */
  @ApiProperty(SEGMENT) @WrittenAs(WRITTEN_SEGMENT) segments: Segment;
}

export class CustomAudienceView extends ResourceView {
  /** Whether campaigns can be shown to it. */
  @ApiProperty() targetable: boolean;
  /** What the audience is called. */
  @ApiProperty() name: string;
  /** As what it can be targeted. */
  @ApiProperty({ ...enumSchema(TARGETABLE_TYPES), isArray: true }) targetable_types: readonly TargetableType[];
  /** What it is made of. */
  @ApiProperty(enumSchema(AUDIENCE_TYPES)) audience_type: AudienceType;
  /** A note on whom it holds. */
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  /** What the asking account may do with it. */
  @ApiProperty(enumSchema(PERMISSION_LEVELS)) permission_level: PermissionLevel;
  /** The account that owns it. */
  @ApiProperty(ID) owner_account_id: string;
  /** Whether that is the asking account. */
  @ApiProperty() is_owner: boolean;
  /** Why it cannot be targeted; empty where it can. */
  @ApiProperty({ ...enumSchema(REASONS_NOT_TARGETABLE), isArray: true }) reasons_not_targetable: ReasonNotTargetable[];
  /** What it is made of; one entry. */
  @ApiProperty({ type: AudienceMetadataView, isArray: true, required: false, description: OF_FLEXIBLE })
  metadata?: AudienceMetadataView[];
  /** Who provided the people. */
  @ApiProperty({ example: 'OTHER' }) partner_source: string;
  /** About how many people it holds, with two significant digits where sizes are protected; null while that is not known, and where it is too small to be told. */
  @ApiProperty({ type: 'integer', nullable: true }) audience_size: number | null;
}

/** As its owner sees it. */
export const presentOwnAudience = (audience: Row<CustomAudience>): CustomAudienceView =>
  presentCustomAudience({ audience, granted: null });

const CRM_TYPES = ['CRM', 'EXCLUDED_CRM'] as const;
const FLEXIBLE_TYPES = ['FLEXIBLE', 'EXCLUDED_FLEXIBLE'] as const;

export const presentCustomAudience = ({ audience, granted }: SeenAudience): CustomAudienceView =>
  presentResource(audience, {
    targetable: audience.deletedAt === null && audience.reasonsNotTargetable.length === 0,
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
    ...(audience.segments && { metadata: [presentMetadata(audience, audience.segments)] }),
  });

const presentMetadata = (audience: Row<CustomAudience>, segments: Segment): AudienceMetadataView => ({
  custom_audience_id: audience.id,
  account_id: audience.accountId,
  name: audience.name,
  audience_source: 'FLEXIBLE_AUDIENCE',
  upload_status: 'UPLOADED',
  segments,
});
