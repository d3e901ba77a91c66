import { Flag, Id, Ids, Micro, OneOf, Text } from '../../common/http/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import {
  BUDGET_OPTIMIZATIONS,
  Campaign,
  ENTITY_STATUSES,
  type BudgetOptimization,
  type EntityStatus,
} from './campaign.entity.js';

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
  @Ids() campaign_ids?: string[];
  @Ids() funding_instrument_ids?: string[];
  @Text({ optional: true, min: 1, max: 255, about: 'the beginning of a name, without case' }) q?: string;
  @Flag({ optional: true, about: 'include drafts', default: false }) with_draft?: boolean;
}

/** What creating and updating have in common (Part 3, 4.6); an empty value unsets. */
class CampaignFields {
  @Micro({ unsettable: true, about: 'required for most types of funding; at most the total budget' })
  daily_budget_amount_local_micro?: number | null;
  @Text({ unsettable: true, max: 50, about: 'a reference of yours, for the bill' }) purchase_order_number?:
    string | null;
  @Micro({ unsettable: true, about: 'at most this, from start to end' }) total_budget_amount_local_micro?:
    number | null;
}

export class CreateCampaign extends CampaignFields {
  @Id() funding_instrument_id: string;
  @Text({ max: 255, about: 'what the campaign is called' }) name: string;
  @OneOf(BUDGET_OPTIMIZATIONS, { unsettable: true, default: 'CAMPAIGN' })
  budget_optimization?: BudgetOptimization | null;
  @Flag({ unsettable: true, about: 'only where budget_optimization is CAMPAIGN', default: true })
  standard_delivery?: boolean | null;
  @OneOf(ENTITY_STATUSES, { optional: true, default: 'ACTIVE' }) entity_status?: EntityStatus;
}

/** An update can neither move a campaign to other funding nor turn it back into a draft. */
export class UpdateCampaign extends CampaignFields {
  @Id({ optional: true, about: 'that of the campaign, which cannot be changed' }) funding_instrument_id?: string;
  @Text({ optional: true, max: 255, about: 'what the campaign is called' }) name?: string;
  @OneOf(BUDGET_OPTIMIZATIONS, { unsettable: true }) budget_optimization?: BudgetOptimization | null;
  @Flag({ unsettable: true, about: 'only where budget_optimization is CAMPAIGN' }) standard_delivery?: boolean | null;
  /** A draft that is sent back stays one. */
  @OneOf(ENTITY_STATUSES.filter((status) => status !== 'DRAFT'), { optional: true, tolerated: ['DRAFT'] })
  entity_status?: EntityStatus;
}

export class UpdateCampaignOperation extends UpdateCampaign {
  @Id() campaign_id: string;
}

export class DeleteCampaignOperation {
  @Id() campaign_id: string;
}

/** The operations of a batch. */
export const CAMPAIGN_OPERATIONS = {
  Create: CreateCampaign,
  Update: UpdateCampaignOperation,
  Delete: DeleteCampaignOperation,
};
