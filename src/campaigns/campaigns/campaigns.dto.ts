import { Example } from '../../common/http/params/example.js';
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
  /** Only the campaigns with these ids. */
  @Ids() campaign_ids?: string[];
  /** Only campaigns that are paid with these funding instruments. */
  @Ids() funding_instrument_ids?: string[];
  /** Only what has a name that begins like this, whatever the case. */
  @Text({ optional: true, min: 1, max: 255 }) q?: string;
  /** Whether drafts are included. */
  @Bool({ optional: true, default: false }) with_draft?: boolean;
}

/** What creating and updating have in common; an empty value unsets. */
class CampaignFields {
  /** What may be spent in a day, at most the total budget; most types of funding require it. */
  @Micro({ nullable: true }) daily_budget_amount_local_micro?: number | null;
  /** A reference of yours, for the bill. */
  @Text({ nullable: true, max: 50, example: 'PO-2026-118' }) purchase_order_number?: string | null;
  /** What may be spent from start to end. */
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
  /** What the campaign is called. */
  @Text({ visible: true, max: 255, example: 'Winter menu' }) name: string;
  /** Whether the campaign has the budgets, or each of its line items. */
  @OneOf(BUDGET_OPTIMIZATIONS, { nullable: true, default: 'CAMPAIGN' })
  budget_optimization?: BudgetOptimization | null;
  /** Whether a day's budget is spread over the day; only where `budget_optimization` is CAMPAIGN. */
  @Bool({ nullable: true, default: true }) standard_delivery?: boolean | null;
  /** Whether it serves. */
  @OneOf(ENTITY_STATUSES, { optional: true, default: 'ACTIVE' }) entity_status?: EntityStatus;
}

/** An update can neither move a campaign to other funding nor turn it back into a draft. */
@Example({ daily_budget_amount_local_micro: 140_000_000, purchase_order_number: 'PO-2026-118' })
export class UpdateCampaign extends CampaignFields {
  /** That of the campaign, which cannot be changed. */
  @Id({ optional: true }) funding_instrument_id?: string;
  /** What the campaign is called. */
  @Text({ visible: true, optional: true, max: 255, example: 'Winter menu' }) name?: string;
  /** Whether the campaign has the budgets, or each of its line items. */
  @OneOf(BUDGET_OPTIMIZATIONS, { nullable: true }) budget_optimization?: BudgetOptimization | null;
  /** Whether a day's budget is spread over the day; only where `budget_optimization` is CAMPAIGN. */
  @Bool({ nullable: true }) standard_delivery?: boolean | null;
  /** Whether it serves. A draft that is sent back stays one. */
  @OneOf(SETTABLE_STATUSES, { optional: true, tolerated: ['DRAFT'] }) entity_status?: EntityStatus;
}

@Example({ campaign_id: '{campaign_id}', daily_budget_amount_local_micro: 150_000_000 })
export class UpdateCampaignOperation extends UpdateCampaign {
  /** The campaign to change. */
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
