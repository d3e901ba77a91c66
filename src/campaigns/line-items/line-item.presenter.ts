import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { endInHistory } from '../open-end.js';
import { DECIMAL_ID, ID, MICRO, ResourceView, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { present, presenterWithout } from '../../common/http/answers/present.js';
import {
  EFFECTIVE_STATUSES,
  REASONS_NOT_SERVABLE,
  type DeliveryState,
  type EffectiveStatus,
  type Reason,
} from '../delivery-state.js';
import { ENTITY_STATUSES, type EntityStatus } from '../entities/campaign.entity.js';
import {
  AUDIENCE_EXPANSIONS,
  CREATIVE_SOURCES,
  LINE_ITEMS,
  LineItem,
  type AudienceExpansion,
  type CreativeSource,
} from '../entities/line-item.entity.js';
import {
  BID_STRATEGIES,
  GOALS,
  OBJECTIVES,
  PAY_BYS,
  PLACEMENTS,
  PRODUCT_TYPES,
  type BidStrategy,
  type Goal,
  type Objective,
  type PayBy,
  type Placement,
  type ProductType,
} from '../entities/line-item.tables.js';
import { CURRENCY } from '../money.js';

/** `servable` comes before the common fields. */
export class LineItemView extends ResourceView {
  /**
   * The user on whose behalf the line item advertises: the FULL promotable user of the account when the line item was
   * created.
   */
  @ApiProperty({ ...ID, nullable: true }) advertiser_user_id: string | null;
  /** The line item's name. */
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  /** The placements. */
  @ApiProperty({ ...enumSchema(PLACEMENTS), isArray: true }) @Unescaped() placements: Placement[];
  /** Start of the flight. */
  @ApiProperty(TIME) @Unescaped() start_time: string;
  /** The bid. Null if bids are set automatically. */
  @ApiProperty(MICRO) bid_amount_local_micro: number | null;
  /** The domain of the advertised website, without protocol. */
  @ApiProperty({ type: String, nullable: true }) advertiser_domain: string | null;
  /** Always null. No endpoint of this version sets it. */
  @ApiProperty(MICRO) target_cpa_local_micro: number | null;
  /** The tag on the website that measures conversions. */
  @ApiProperty({ type: String, nullable: true }) primary_web_event_tag: string | null;
  /** The optimization goal. */
  @ApiProperty(enumSchema(GOALS)) @Unescaped() goal: Goal;
  /** Budget for one day. */
  @ApiProperty(MICRO) daily_budget_amount_local_micro: number | null;
  /** The product type. */
  @ApiProperty(enumSchema(PRODUCT_TYPES)) @Unescaped() product_type: ProductType;
  /** End of the flight. From 2026-06-27 on, null without an end. */
  @ApiProperty({ ...TIME, nullable: true }) @Unescaped() end_time: string | null;
  /** The funding instrument of the campaign, which pays. */
  @ApiProperty(ID) @Unescaped() funding_instrument_id: string;
  /** How bids are set. */
  @ApiProperty(enumSchema(BID_STRATEGIES)) @Unescaped() bid_strategy: BidStrategy;
  /** Period of the frequency cap in days. */
  @ApiProperty({ type: 'integer', nullable: true }) duration_in_days: number | null;
  /** Whether the daily budget is spread over the day. Null if the campaign has the budgets. */
  @ApiProperty({ type: Boolean, nullable: true }) standard_delivery: boolean | null;
  /** Budget for the whole flight. */
  @ApiProperty(MICRO) total_budget_amount_local_micro: number | null;
  /** The objective. */
  @ApiProperty(enumSchema(OBJECTIVES)) @Unescaped() objective: Objective;
  /** The status that the advertiser set. */
  @ApiProperty(enumSchema(ENTITY_STATUSES)) @Unescaped() entity_status: EntityStatus;
  /** Always null. Posts are promoted manually. */
  @ApiProperty({ type: Boolean, nullable: true }) automatic_post_promotion: boolean | null;
  /** Maximum number of impressions per person within `duration_in_days`. */
  @ApiProperty({ type: 'integer', nullable: true }) frequency_cap: number | null;
  /** The package name of the advertised Android app. */
  @ApiProperty({ type: String, nullable: true }) android_app_store_identifier: string | null;
  /** Ids of IAB categories. */
  @ApiProperty({ type: String, isArray: true }) @Unescaped() categories: string[];
  /** The currency of all amounts. */
  @ApiProperty(CURRENCY) currency: string;
  /** The billable event. */
  @ApiProperty(enumSchema(PAY_BYS)) @Unescaped() pay_by: PayBy;
  /** The numeric App Store identifier of the advertised app. */
  @ApiProperty({ type: String, nullable: true }) ios_app_store_identifier: string | null;
  /** How far delivery may expand beyond the targeted audience. */
  @ApiProperty({ ...enumSchema(AUDIENCE_EXPANSIONS), nullable: true })
  @Unescaped()
  audience_expansion: AudienceExpansion | null;
  /** The campaign of the line item. */
  @ApiProperty(ID) @Unescaped() campaign_id: string;
  /** Who selects the creatives. */
  @ApiProperty(enumSchema(CREATIVE_SOURCES)) @Unescaped() creative_source: CreativeSource;
  /** The product catalog whose products it advertises: that of a user of the account, who alone can read it. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) @Unescaped() catalog_id: string | null;
  /** The product set that it advertises. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true }) @Unescaped() product_set_id: string | null;
  /** The reasons why it cannot serve. Empty if it can. */
  @ApiProperty({ ...enumSchema(REASONS_NOT_SERVABLE), isArray: true }) @Unescaped() reasons_not_servable: Reason[];
  /** Whether it can serve. Null if it is deleted. */
  @ApiProperty({ type: Boolean, nullable: true }) servable: boolean | null;
  /** Overall delivery status. */
  @ApiProperty(enumSchema(EFFECTIVE_STATUSES)) @Unescaped() effective_status: EffectiveStatus;
}

/** A line item, its delivery state, and what answers show instead of its columns. */
export interface LineItemWithDelivery {
  item: Row<LineItem>;
  delivery: DeliveryState;
  /** Null if the campaign has the budgets. */
  standardDelivery: boolean | null;
  /** Null without an end. */
  endTime: string | null;
}

/** Fields that no endpoint of this version sets. */
const NEVER_SET = { target_cpa_local_micro: null, automatic_post_promotion: null };

export const presentLineItem = ({ item, delivery, ...shown }: LineItemWithDelivery): LineItemView =>
  present(LineItemView, item, {
    standard_delivery: shown.standardDelivery,
    end_time: shown.endTime,
    reasons_not_servable: delivery.reasons,
    servable: delivery.servable,
    effective_status: delivery.effectiveStatus,
    ...NEVER_SET,
  });

/** The history keeps what is stored, without what is derived from it. */
const RECORDED = {
  view: LineItemView,
  without: ['id'],
  ofExhaustedBudgets: ['reasons_not_servable', 'servable', 'effective_status'],
} as const;

const presentForHistory = presenterWithout(LineItemView, [...RECORDED.without, ...RECORDED.ofExhaustedBudgets]);

recordAs(LINE_ITEMS, RECORDED, (item) =>
  presentForHistory(item, { end_time: endInHistory(item.endTime), ...NEVER_SET }),
);
