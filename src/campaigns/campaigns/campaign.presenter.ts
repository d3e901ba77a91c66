import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, MICRO, ResourceView, Unescaped, presentResource } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import {
  EFFECTIVE_STATUSES,
  REASONS_NOT_SERVABLE,
  type DeliveryState,
  type EffectiveStatus,
  type Reason,
} from '../delivery-state.js';
import {
  BUDGET_OPTIMIZATIONS,
  CAMPAIGNS,
  Campaign,
  ENTITY_STATUSES,
  type BudgetOptimization,
  type EntityStatus,
} from '../entities/campaign.entity.js';
import { CURRENCY } from '../money.js';

export class CampaignView extends ResourceView {
  /** The campaign's name. */
  @ApiProperty() name: string;
  /** Whether the campaign or each of its line items has the budgets. */
  @ApiProperty(enumSchema(BUDGET_OPTIMIZATIONS)) @Unescaped() budget_optimization: BudgetOptimization;
  /** The reasons why it cannot serve. Empty if it can. */
  @ApiProperty({ ...enumSchema(REASONS_NOT_SERVABLE), isArray: true }) @Unescaped() reasons_not_servable: Reason[];
  /** Whether it can serve. Null if it is deleted. */
  @ApiProperty({ type: Boolean, nullable: true }) servable: boolean | null;
  /** Your purchase order number or another reference for the invoice. */
  @ApiProperty({ type: String, nullable: true }) purchase_order_number: string | null;
  /** Overall delivery status. */
  @ApiProperty(enumSchema(EFFECTIVE_STATUSES)) @Unescaped() effective_status: EffectiveStatus;
  /** Budget for one day. */
  @ApiProperty(MICRO) daily_budget_amount_local_micro: number | null;
  /** The funding instrument that pays. */
  @ApiProperty(ID) @Unescaped() funding_instrument_id: string;
  /** Period of the frequency cap in days. */
  @ApiProperty({ type: 'integer', nullable: true }) duration_in_days: number | null;
  /** Whether the daily budget is spread over the day. Null if the line items have the budgets. */
  @ApiProperty({ type: Boolean, nullable: true }) standard_delivery: boolean | null;
  /** Budget for the whole flight. */
  @ApiProperty(MICRO) total_budget_amount_local_micro: number | null;
  /** The status that the advertiser set. */
  @ApiProperty(enumSchema(ENTITY_STATUSES)) @Unescaped() entity_status: EntityStatus;
  /** Maximum number of impressions per person within `duration_in_days`. */
  @ApiProperty({ type: 'integer', nullable: true }) frequency_cap: number | null;
  /** The currency of all amounts. */
  @ApiProperty(CURRENCY) currency: string;
}

/** A campaign and its delivery state. */
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

/** The fields of a campaign that the account history keeps. */
const snapshotOfCampaign = (campaign: Row<Campaign>) => ({
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

recordAs(CAMPAIGNS, snapshotOfCampaign);
