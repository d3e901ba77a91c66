import { Example } from '../../common/http/params/dto-metadata.js';
import { Bool, Id, Ids, Micro, OneOf, Text } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import {
  BUDGET_OPTIMIZATIONS,
  Campaign,
  ENTITY_STATUSES,
  SETTABLE_STATUSES,
  type BudgetOptimization,
  type EntityStatus,
} from '../entities/campaign.entity.js';

export class ListCampaigns extends ListQuery(Campaign, {
  sortable: [
    'created_at',
    'updated_at',
    'deleted',
    'name',
    'start_time',
    'end_time',
    'daily_budget_amount_local_micro',
    'total_budget_amount_local_micro',
    'standard_delivery',
  ],
}) {
  /** Filters by campaign ids. */
  @Ids() campaign_ids?: string[];
  /** Filters by funding instrument ids. */
  @Ids() funding_instrument_ids?: string[];
  /** Name prefix, case-insensitive. */
  @Text({ optional: true, min: 1, max: 255 }) q?: string;
  /** Whether to include drafts. */
  @Bool({ optional: true, default: false }) with_draft?: boolean;
}

/** Fields that creating and updating share. An empty value unsets a field. */
class CampaignFields {
  /** Budget for one day, at most the total budget. Most funding types require it. */
  @Micro({ nullable: true }) daily_budget_amount_local_micro?: number | null;
  /** Your purchase order number or another reference for the invoice. */
  @Text({ nullable: true, max: 50, example: 'PO-2026-118' }) purchase_order_number?: string | null;
  /** Budget for the whole flight. */
  @Micro({ nullable: true }) total_budget_amount_local_micro?: number | null;
}

@Example({
  funding_instrument_id: '{funding_instrument_id}',
  name: 'Winter menu',
  daily_budget_amount_local_micro: 120_000_000,
  entity_status: 'PAUSED',
})
export class CreateCampaign extends CampaignFields {
  /** The funding instrument that pays. */
  @Id() funding_instrument_id: string;
  /** The campaign's name. */
  @Text({ visible: true, max: 255, example: 'Winter menu' }) name: string;
  /** Whether the campaign or each of its line items has the budgets. */
  @OneOf(BUDGET_OPTIMIZATIONS, { nullable: true, default: 'CAMPAIGN' })
  budget_optimization?: BudgetOptimization | null;
  /** Whether to spread the daily budget over the day. Only allowed if `budget_optimization` is CAMPAIGN. */
  @Bool({ nullable: true, default: true }) standard_delivery?: boolean | null;
  /** The campaign's status. */
  @OneOf(ENTITY_STATUSES, { optional: true, default: 'ACTIVE' }) entity_status?: EntityStatus;
}

/** An update can neither move a campaign to another funding instrument nor turn it back into a draft. */
@Example({ daily_budget_amount_local_micro: 140_000_000, purchase_order_number: 'PO-2026-118' })
export class UpdateCampaign extends CampaignFields {
  /** The campaign's current funding instrument. It cannot be changed. */
  @Id({ optional: true }) funding_instrument_id?: string;
  /** The campaign's name. */
  @Text({ visible: true, optional: true, max: 255, example: 'Winter menu' }) name?: string;
  /** Whether the campaign or each of its line items has the budgets. */
  @OneOf(BUDGET_OPTIMIZATIONS, { nullable: true }) budget_optimization?: BudgetOptimization | null;
  /** Whether to spread the daily budget over the day. Only allowed if `budget_optimization` is CAMPAIGN. */
  @Bool({ nullable: true }) standard_delivery?: boolean | null;
  /** The new status. A draft accepts its own status and stays a draft. */
  @OneOf(SETTABLE_STATUSES, { optional: true, tolerated: ['DRAFT'] }) entity_status?: EntityStatus;
}

@Example({ campaign_id: '{campaign_id}', daily_budget_amount_local_micro: 150_000_000 })
export class UpdateCampaignOperation extends UpdateCampaign {
  /** The campaign to update. */
  @Id() campaign_id: string;
}

export class DeleteCampaignOperation {
  /** The campaign to delete. */
  @Id() campaign_id: string;
}

/** The operations of a batch. */
export const CAMPAIGN_OPERATIONS = {
  Create: CreateCampaign,
  Update: UpdateCampaignOperation,
  Delete: DeleteCampaignOperation,
};
