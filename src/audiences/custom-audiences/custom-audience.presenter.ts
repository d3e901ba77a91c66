import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, ResourceView, SerializedAs, presentResource } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import {
  PERMISSION_LEVELS,
  type PermissionLevel,
  type SeenAudience,
} from '../audience-permissions/audience-permission.entity.js';
import {
  AUDIENCE_TYPES,
  CUSTOM_AUDIENCES,
  CustomAudience,
  REASONS_NOT_TARGETABLE,
  type AudienceType,
  type ReasonNotTargetable,
} from '../entities/custom-audience.entity.js';
import type { Segment } from '../entities/segments.js';
import { SEGMENT, SegmentView, WRITTEN_SEGMENT } from './segment.presenter.js';

const TARGETABLE_TYPES = closedSet('TargetableType', [
  'CRM',
  'EXCLUDED_CRM',
  'FLEXIBLE',
  'EXCLUDED_FLEXIBLE',
  'WEB',
  'EXCLUDED_WEB',
]);
export type TargetableType = (typeof TARGETABLE_TYPES)[number];

const OF_FLEXIBLE = 'Only for flexible audiences.';

/** The definition of a flexible audience. */
@ApiExtraModels(SegmentView)
export class AudienceMetadataView {
  /** The id of the audience. */
  @ApiProperty(ID) custom_audience_id: string;
  /** The account that owns the audience. */
  @ApiProperty(ID) account_id: string;
  /** The audience's name. */
  @ApiProperty() name: string;
  /** The source of the audience. */
  @ApiProperty({ example: 'FLEXIBLE_AUDIENCE' }) audience_source: string;
  /** Upload status of the segments. */
  @ApiProperty({ example: 'UPLOADED' }) upload_status: string;
  /** The outermost segment, which defines who belongs to the audience. */
  @ApiProperty(SEGMENT) @SerializedAs(WRITTEN_SEGMENT) segments: Segment;
}

export class CustomAudienceView extends ResourceView {
  /** Whether campaigns can target the audience. */
  @ApiProperty() targetable: boolean;
  /** The audience's name. */
  @ApiProperty() name: string;
  /** The targeting types for which the audience can be used. */
  @ApiProperty({ ...enumSchema(TARGETABLE_TYPES), isArray: true }) targetable_types: readonly TargetableType[];
  /** The audience type. */
  @ApiProperty(enumSchema(AUDIENCE_TYPES)) audience_type: AudienceType;
  /** The audience's description. */
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  /** The permission level of the requesting account. */
  @ApiProperty(enumSchema(PERMISSION_LEVELS)) permission_level: PermissionLevel;
  /** The account that owns the audience. */
  @ApiProperty(ID) owner_account_id: string;
  /** Whether the requesting account owns the audience. */
  @ApiProperty() is_owner: boolean;
  /** Why campaigns cannot target the audience; empty if they can. */
  @ApiProperty({ ...enumSchema(REASONS_NOT_TARGETABLE), isArray: true }) reasons_not_targetable: ReasonNotTargetable[];
  /** The audience's definition; one entry. */
  @ApiProperty({ type: AudienceMetadataView, isArray: true, required: false, description: OF_FLEXIBLE })
  metadata?: AudienceMetadataView[];
  /** The partner that provided the people. */
  @ApiProperty({ example: 'OTHER' }) partner_source: string;
  /**
   * Approximate number of people, with two significant digits if sizes are protected. Null while it is unknown or too
   * small to report.
   */
  @ApiProperty({ type: 'integer', nullable: true }) audience_size: number | null;
}

/** Presents an audience to its owner. */
export const presentOwnAudience = (audience: Row<CustomAudience>): CustomAudienceView =>
  presentCustomAudience({ audience, granted: null });

const CRM_TYPES = ['CRM', 'EXCLUDED_CRM'] as const;
const FLEXIBLE_TYPES = ['FLEXIBLE', 'EXCLUDED_FLEXIBLE'] as const;
const WEB_TYPES = ['WEB', 'EXCLUDED_WEB'] as const;

const targetableTypesOf = ({ audienceType }: Pick<CustomAudience, 'audienceType'>): readonly TargetableType[] =>
  audienceType === 'FLEXIBLE' ? FLEXIBLE_TYPES : audienceType === 'WEB' ? WEB_TYPES : CRM_TYPES;

export const presentCustomAudience = ({ audience, granted }: SeenAudience): CustomAudienceView =>
  presentResource(audience, {
    targetable: audience.deletedAt === null && audience.reasonsNotTargetable.length === 0,
    name: audience.name,
    targetable_types: targetableTypesOf(audience),
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

recordAs(CUSTOM_AUDIENCES, CustomAudienceView, presentOwnAudience);
