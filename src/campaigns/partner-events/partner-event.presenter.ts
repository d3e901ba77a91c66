import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import {
  APP_CONVERSION_TYPES,
  APP_EVENT_OS_TYPES,
  type AppConversionType,
  type AppEventOsType,
} from '../../app-measurement/app-event-tags/app-event-tag.entity.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import { Noun } from '../../common/http/answers/describe-answer.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { OBJECTIVES, type Objective } from '../entities/line-item.tables.js';
import {
  PARTNER_ENGAGEMENT_TYPES,
  type FindAttribution,
  type PartnerEngagementType,
  type SendAppEvent,
} from './partner-events.dto.js';
import type { Attribution } from './partner-events.rules.js';

/** What was advertised. */
export class PromotedPropertiesView {
  /** The account. */
  @ApiProperty(ID) @Unescaped() account_id: string;
  /** The campaign. */
  @ApiProperty(ID) @Unescaped() campaign_id: string;
  /** Its name. */
  @ApiProperty({ type: String, nullable: true }) campaign_name: string | null;
  /** The line item. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** Its objective. */
  @ApiProperty(enumSchema(OBJECTIVES)) @Unescaped() line_item_objective: Objective;
  /** The app of a publisher that showed it; always null. */
  @ApiProperty({ type: String, nullable: true }) publisher_app_id: string | null;
}

/** The engagement that an event is attributed to. */
export class PlatformAttributionView {
  /** The country of the user, if it is known. */
  @ApiProperty({ type: String, nullable: true }) country_code: string | null;
  /** When the user engaged. */
  @ApiProperty(TIME) @Unescaped() engagement_time: string;
  /** A click or a view. */
  @ApiProperty(enumSchema(PARTNER_ENGAGEMENT_TYPES)) @Unescaped() engagement_type: PartnerEngagementType;
  /** Always PROMOTED. */
  @ApiProperty({ example: 'PROMOTED' }) attribution_type: string;
  /** The post, if one was shown. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) @Unescaped() post_id: string | null;
  /** What was advertised. */
  @ApiProperty({ type: PromotedPropertiesView }) promoted_properties: PromotedPropertiesView;
}

/** The answer about an event in an app. */
@Noun('attribution', 'attributions')
@ApiExtraModels(PlatformAttributionView)
export class AppAttributionView {
  /** The app. */
  @ApiProperty() app_id: string;
  /** The operating system of the app. */
  @ApiProperty(enumSchema(APP_EVENT_OS_TYPES)) @Unescaped() os_type: AppEventOsType;
  /** The hash of the device. */
  @ApiProperty() hashed_device_id: string;
  /** The event. */
  @ApiProperty(enumSchema(APP_CONVERSION_TYPES)) @Unescaped() conversion_type: AppConversionType;
  /** When it happened. */
  @ApiProperty(TIME) @Unescaped() conversion_time: string;
  /** Days before it in which a click counts. */
  @ApiProperty({ type: 'integer' }) click_window: number;
  /** Days before it in which a view counts. */
  @ApiProperty({ type: 'integer' }) view_through_window: number;
  /** The price in micro-units. */
  @ApiProperty({ type: 'integer', format: 'int64', nullable: true }) conversion_value_micro: number | null;
  /** Always false: no device is known to limit tracking. */
  @ApiProperty() limit_ad_tracking: boolean;
  /** The application of the partner. */
  @ApiProperty(DECIMAL_ID) @Unescaped() partner_client_id: string;
  /** Engagements outside of the platform are not known: always null. */
  @ApiProperty({ type: String, nullable: true }) tpn_attribution: null;
  /** The engagement that the event is attributed to; null for none. */
  @ApiProperty({ type: PlatformAttributionView, nullable: true }) platform_attribution: PlatformAttributionView | null;
}

/** What else the partner sent. */
export class AppEventMetadataView {
  /** The level. */
  @ApiProperty({ type: 'integer', nullable: true }) level: number | null;
  /** How many items. */
  @ApiProperty({ type: 'integer', nullable: true }) number_items: number | null;
  /** The currency of the price. */
  @ApiProperty({ type: String, nullable: true }) price_currency: string | null;
  /** The price in micro-units. */
  @ApiProperty({ type: 'integer', format: 'int64', nullable: true }) price_micro: number | null;
  /** Whether the user entered payment details. */
  @ApiProperty({ type: Boolean, nullable: true }) user_payment_info: boolean | null;
}

/** The answer to an event in an app. */
@Noun('event of an app', 'events of apps')
export class AppEventView extends AppAttributionView {
  /** What else the partner sent. */
  @ApiProperty({ type: AppEventMetadataView }) event_metadata: AppEventMetadataView;
  /** When the user engaged with an ad of somebody else. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() non_platform_engagement_time: string | null;
  /** How. */
  @ApiProperty({ ...enumSchema(PARTNER_ENGAGEMENT_TYPES), nullable: true })
  non_platform_engagement_type: PartnerEngagementType | null;
}

/** The currency is not converted. */
export const presentAttribution = (
  params: FindAttribution & Pick<SendAppEvent, 'price_micro'>,
  partnerId: string,
  attribution: Attribution | null,
): AppAttributionView => ({
  app_id: params.app_id,
  os_type: params.os_type,
  hashed_device_id: params.hashed_device_id,
  conversion_type: params.conversion_type,
  conversion_time: wireTime(params.conversion_time),
  click_window: params.click_window,
  view_through_window: params.view_through_window,
  conversion_value_micro: params.price_micro ?? null,
  limit_ad_tracking: false,
  partner_client_id: partnerId,
  tpn_attribution: null,
  platform_attribution: attribution && presentEngagement(attribution),
});

const presentEngagement = ({ engagement, lineItem, campaign, postId }: Attribution): PlatformAttributionView => ({
  country_code: engagement.country,
  engagement_time: wireTime(engagement.at),
  engagement_type: engagement.isClick ? 'CLICK' : 'VIEW',
  attribution_type: 'PROMOTED',
  post_id: postId,
  promoted_properties: {
    account_id: lineItem.accountId,
    campaign_id: campaign.id,
    campaign_name: campaign.name,
    line_item_id: lineItem.id,
    line_item_objective: lineItem.objective,
    publisher_app_id: null,
  },
});

export const presentAppEvent = (
  params: SendAppEvent,
  partnerId: string,
  attribution: Attribution | null,
): AppEventView => ({
  event_metadata: {
    level: params.level ?? null,
    number_items: params.number_items ?? null,
    price_currency: params.price_currency?.toUpperCase() ?? null,
    price_micro: params.price_micro ?? null,
    user_payment_info: params.user_payment_info ?? null,
  },
  non_platform_engagement_time:
    params.non_platform_engagement_time === undefined ? null : wireTime(params.non_platform_engagement_time),
  non_platform_engagement_type: params.non_platform_engagement_type ?? null,
  ...presentAttribution(params, partnerId, attribution),
});
