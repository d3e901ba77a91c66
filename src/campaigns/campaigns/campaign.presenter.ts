import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, MICRO, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { present, presenterWithout } from '../../common/http/answers/present.js';
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
import { endInHistory } from '../open-end.js';

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
  present(CampaignView, campaign, {
    reasons_not_servable: delivery.reasons,
    servable: delivery.servable,
    effective_status: delivery.effectiveStatus,
  });

const FLIGHT_TIME = { type: ['string', 'null'], format: 'date-time' };

/** The history keeps what an update can change, and the flight of the line items. */
const RECORDED = {
  view: CampaignView,
  without: ['id', 'funding_instrument_id', 'currency'],
  ofExhaustedBudgets: ['reasons_not_servable', 'servable', 'effective_status'],
  also: {
    start_time: { ...FLIGHT_TIME, description: 'Start of the flight.' },
    end_time: { ...FLIGHT_TIME, description: 'End of the flight.' },
  },
} as const;

const presentForHistory = presenterWithout(CampaignView, [...RECORDED.without, ...RECORDED.ofExhaustedBudgets]);

recordAs(CAMPAIGNS, RECORDED, (campaign) =>
  presentForHistory(campaign, {
    start_time: wireTime(campaign.startTime),
    end_time: endInHistory(campaign.endTime),
  }),
);
