import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, MICRO, presentResource, ResourceView, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { ENTITY_STATUSES, type BudgetOptimization, type EntityStatus } from '../entities/campaign.entity.js';
import {
  EFFECTIVE_STATUSES,
  REASONS_NOT_SERVABLE,
  type DeliveryState,
  type EffectiveStatus,
  type Reason,
} from '../delivery-state.js';
import { CURRENCY } from '../money.js';
import {
  AUDIENCE_EXPANSIONS,
  CREATIVE_SOURCES,
  type AudienceExpansion,
  type CreativeSource,
  type LineItem,
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

/** Whether it can serve stands before the common fields. */
export class LineItemView extends ResourceView {
  /** In whose name it advertises: the FULL promotable user of the account when it was made. */
  @ApiProperty({ ...ID, nullable: true }) advertiser_user_id: string | null;
  /** What the line item is called. */
  @ApiProperty({ type: String, nullable: true }) name: string | null;
  /** Where it is shown. */
  @ApiProperty({ ...enumSchema(PLACEMENTS), isArray: true }) @Unescaped() placements: Placement[];
  /** When it begins. */
  @ApiProperty(TIME) @Unescaped() start_time: string;
  /** What is bid; null where the bid is found by itself. */
  @ApiProperty(MICRO) bid_amount_local_micro: number | null;
  /** The website that is advertised, without protocol. */
  @ApiProperty({ type: String, nullable: true }) advertiser_domain: string | null;
  /** Always null: no endpoint of this version sets a target of its own. */
  @ApiProperty(MICRO) target_cpa_local_micro: number | null;
  /** The tag on the website that tells conversions. */
  @ApiProperty({ type: String, nullable: true }) primary_web_event_tag: string | null;
  /** What is bought. */
  @ApiProperty(enumSchema(GOALS)) @Unescaped() goal: Goal;
  /** What may be spent in a day. */
  @ApiProperty(MICRO) daily_budget_amount_local_micro: number | null;
  /** What is shown. */
  @ApiProperty(enumSchema(PRODUCT_TYPES)) @Unescaped() product_type: ProductType;
  /** When it ends. */
  @ApiProperty(TIME) @Unescaped() end_time: string;
  /** The funding instrument that pays: that of its campaign. */
  @ApiProperty(ID) @Unescaped() funding_instrument_id: string;
  /** How bids are found. */
  @ApiProperty(enumSchema(BID_STRATEGIES)) @Unescaped() bid_strategy: BidStrategy;
  /** Over how many days the frequency cap counts. */
  @ApiProperty({ type: 'integer', nullable: true }) duration_in_days: number | null;
  /** Whether a day's budget is spread over the day; null where the campaign has the budgets. */
  @ApiProperty({ type: Boolean, nullable: true }) standard_delivery: boolean | null;
  /** What may be spent from start to end. */
  @ApiProperty(MICRO) total_budget_amount_local_micro: number | null;
  /** What it is for. */
  @ApiProperty(enumSchema(OBJECTIVES)) @Unescaped() objective: Objective;
  /** Whether its advertiser wants it to serve. */
  @ApiProperty(enumSchema(ENTITY_STATUSES)) @Unescaped() entity_status: EntityStatus;
  /** Always null: posts are promoted by hand. */
  @ApiProperty({ type: Boolean, nullable: true }) automatic_post_promotion: boolean | null;
  /** How often one person is shown it at most. */
  @ApiProperty({ type: 'integer', nullable: true }) frequency_cap: number | null;
  /** The package name of the app that is advertised. */
  @ApiProperty({ type: String, nullable: true }) android_app_store_identifier: string | null;
  /** Ids of IAB categories. */
  @ApiProperty({ type: String, isArray: true }) @Unescaped() categories: string[];
  /** The currency of its amounts. */
  @ApiProperty(CURRENCY) currency: string;
  /** What is paid for. */
  @ApiProperty(enumSchema(PAY_BYS)) @Unescaped() pay_by: PayBy;
  /** The numeric identifier of the app that is advertised. */
  @ApiProperty({ type: String, nullable: true }) ios_app_store_identifier: string | null;
  /** How far beyond its audience it may reach. */
  @ApiProperty({ ...enumSchema(AUDIENCE_EXPANSIONS), nullable: true })
  @Unescaped()
  audience_expansion: AudienceExpansion | null;
  /** The campaign that it belongs to. */
  @ApiProperty(ID) @Unescaped() campaign_id: string;
  /** Who chooses what it shows. */
  @ApiProperty(enumSchema(CREATIVE_SOURCES)) @Unescaped() creative_source: CreativeSource;
  /** Why it cannot serve; empty where it can. */
  @ApiProperty({ ...enumSchema(REASONS_NOT_SERVABLE), isArray: true }) @Unescaped() reasons_not_servable: Reason[];
  /** Whether it can serve; null once it is deleted. */
  @ApiProperty({ type: Boolean, nullable: true }) servable: boolean | null;
  /** How it stands with it, all things considered. */
  @ApiProperty(enumSchema(EFFECTIVE_STATUSES)) @Unescaped() effective_status: EffectiveStatus;
}

/** A line item, whether it can serve, and who has the budgets. */
export interface LineItemWithDelivery {
  item: Row<LineItem>;
  delivery: DeliveryState;
  budgetOptimization: BudgetOptimization;
}

export const presentLineItem = ({ item, delivery, budgetOptimization }: LineItemWithDelivery): LineItemView =>
  presentResource(item, {
    standard_delivery: budgetOptimization === 'LINE_ITEM' ? (item.standardDelivery ?? true) : null,
    reasons_not_servable: delivery.reasons,
    servable: delivery.servable,
    effective_status: delivery.effectiveStatus,
    ...settingsOf(item),
  });

/** What the account history keeps of a line item: all of it but what follows from other things. */
export const snapshotOfLineItem = (item: Row<LineItem>) => ({
  standard_delivery: item.standardDelivery,
  created_at: wireTime(item.createdAt),
  updated_at: wireTime(item.updatedAt),
  deleted: item.deletedAt !== null,
  ...settingsOf(item),
});

const settingsOf = (item: Row<LineItem>) => ({
  advertiser_user_id: item.advertiserUserId,
  name: item.name,
  placements: item.placements,
  start_time: wireTime(item.startTime),
  bid_amount_local_micro: item.bidAmountLocalMicro,
  advertiser_domain: item.advertiserDomain,
  target_cpa_local_micro: null,
  primary_web_event_tag: item.primaryWebEventTag,
  goal: item.goal,
  daily_budget_amount_local_micro: item.dailyBudgetAmountLocalMicro,
  product_type: item.productType,
  end_time: wireTime(item.endTime),
  funding_instrument_id: item.fundingInstrumentId,
  bid_strategy: item.bidStrategy,
  duration_in_days: item.durationInDays,
  total_budget_amount_local_micro: item.totalBudgetAmountLocalMicro,
  objective: item.objective,
  entity_status: item.entityStatus,
  automatic_post_promotion: null,
  frequency_cap: item.frequencyCap,
  android_app_store_identifier: item.androidAppStoreIdentifier,
  categories: item.categories,
  currency: item.currency,
  pay_by: item.payBy,
  ios_app_store_identifier: item.iosAppStoreIdentifier,
  audience_expansion: item.audienceExpansion,
  campaign_id: item.campaignId,
  creative_source: item.creativeSource,
});
