import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { presentResource, ResourceView, Unescaped } from '../../common/http/responses.js';
import {
  BUDGET_OPTIMIZATIONS,
  ENTITY_STATUSES,
  type BudgetOptimization,
  type Campaign,
  type EntityStatus,
} from './campaign.entity.js';
import {
  EFFECTIVE_STATUSES,
  REASONS_NOT_SERVABLE,
  type EffectiveStatus,
  type Reason,
  type DeliveryState,
} from './delivery-state.js';

const micro = { type: 'integer', format: 'int64', nullable: true } as const;

export class CampaignView extends ResourceView {
  @ApiProperty() name: string;
  @ApiProperty({ enum: BUDGET_OPTIMIZATIONS }) @Unescaped() budget_optimization: BudgetOptimization;
  @ApiProperty({ enum: REASONS_NOT_SERVABLE, isArray: true }) @Unescaped() reasons_not_servable: Reason[];
  @ApiProperty({ type: Boolean, nullable: true }) servable: boolean | null;
  @ApiProperty({ type: String, nullable: true }) purchase_order_number: string | null;
  @ApiProperty({ enum: EFFECTIVE_STATUSES }) @Unescaped() effective_status: EffectiveStatus;
  @ApiProperty(micro) daily_budget_amount_local_micro: number | null;
  @ApiProperty({ format: 'id' }) @Unescaped() funding_instrument_id: string;
  @ApiProperty({ type: 'integer', nullable: true }) duration_in_days: number | null;
  @ApiProperty({ type: Boolean, nullable: true }) standard_delivery: boolean | null;
  @ApiProperty(micro) total_budget_amount_local_micro: number | null;
  @ApiProperty({ enum: ENTITY_STATUSES }) @Unescaped() entity_status: EntityStatus;
  @ApiProperty({ type: 'integer', nullable: true }) frequency_cap: number | null;
  @ApiProperty() currency: string;
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

/** What the account history keeps of a campaign (Part 3, 2). */
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
