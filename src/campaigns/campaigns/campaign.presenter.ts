import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ID, MICRO, presentResource, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { CURRENCY } from '../money.js';
import {
  BUDGET_OPTIMIZATIONS,
  ENTITY_STATUSES,
  type BudgetOptimization,
  type Campaign,
  type EntityStatus,
} from '../entities/campaign.entity.js';
import {
  EFFECTIVE_STATUSES,
  REASONS_NOT_SERVABLE,
  type EffectiveStatus,
  type Reason,
  type DeliveryState,
} from '../delivery-state.js';

export class CampaignView extends ResourceView {
  /** What the campaign is called. */
  @ApiProperty() name: string;
  /** Whether the campaign has the budgets, or each of its line items. */
  @ApiProperty(enumSchema(BUDGET_OPTIMIZATIONS)) @Unescaped() budget_optimization: BudgetOptimization;
  /** Why it cannot serve; empty where it can. */
  @ApiProperty({ ...enumSchema(REASONS_NOT_SERVABLE), isArray: true }) @Unescaped() reasons_not_servable: Reason[];
  /** Whether it can serve; null once it is deleted. */
  @ApiProperty({ type: Boolean, nullable: true }) servable: boolean | null;
  /** A reference of yours, for the bill. */
  @ApiProperty({ type: String, nullable: true }) purchase_order_number: string | null;
  /** How it stands with it, all things considered. */
  @ApiProperty(enumSchema(EFFECTIVE_STATUSES)) @Unescaped() effective_status: EffectiveStatus;
  /** What may be spent in a day. */
  @ApiProperty(MICRO) daily_budget_amount_local_micro: number | null;
  /** The funding instrument that pays. */
  @ApiProperty(ID) @Unescaped() funding_instrument_id: string;
  /** Over how many days the frequency cap counts. */
  @ApiProperty({ type: 'integer', nullable: true }) duration_in_days: number | null;
  /** Whether a day's budget is spread over the day; null where line items have the budgets. */
  @ApiProperty({ type: Boolean, nullable: true }) standard_delivery: boolean | null;
  /** What may be spent from start to end. */
  @ApiProperty(MICRO) total_budget_amount_local_micro: number | null;
  /** Whether its advertiser wants it to serve. */
  @ApiProperty(enumSchema(ENTITY_STATUSES)) @Unescaped() entity_status: EntityStatus;
  /** How often one person is shown it at most. */
  @ApiProperty({ type: 'integer', nullable: true }) frequency_cap: number | null;
  /** The currency of its amounts. */
  @ApiProperty(CURRENCY) currency: string;
}

/** A campaign and whether it can serve. */
export interface CampaignWithDelivery {
  campaign: Row<Campaign>;
  delivery: DeliveryState;
}

export const presentCampaign = ({ campaign, delivery }: CampaignWithDelivery): CampaignView =>
  presentResource(campaign, {
    name: campaign.name,
    budget_optimization: campaign.budgetOptimization,
    reasons_not_servable: delivery.reasons,
    servable: delivery.servable,
    purchase_order_number: campaign.purchaseOrderNumber,
    effective_status: delivery.effectiveStatus,
    daily_budget_amount_local_micro: campaign.dailyBudgetAmountLocalMicro,
    funding_instrument_id: campaign.fundingInstrumentId,
    duration_in_days: campaign.durationInDays,
    standard_delivery: campaign.standardDelivery,
    total_budget_amount_local_micro: campaign.totalBudgetAmountLocalMicro,
    entity_status: campaign.entityStatus,
    frequency_cap: campaign.frequencyCap,
    currency: campaign.currency,
  });

/** What the account history keeps of a campaign. */
export const snapshotOfCampaign = (campaign: Row<Campaign>) => ({
  name: campaign.name,
  start_time: wireTime(campaign.startTime),
  end_time: wireTime(campaign.endTime),
  purchase_order_number: campaign.purchaseOrderNumber,
  daily_budget_amount_local_micro: campaign.dailyBudgetAmountLocalMicro,
  total_budget_amount_local_micro: campaign.totalBudgetAmountLocalMicro,
  duration_in_days: campaign.durationInDays,
  standard_delivery: campaign.standardDelivery,
  entity_status: campaign.entityStatus,
  frequency_cap: campaign.frequencyCap,
  created_at: wireTime(campaign.createdAt),
  updated_at: wireTime(campaign.updatedAt),
  deleted: campaign.deletedAt !== null,
});
