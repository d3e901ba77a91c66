import { defineResource } from '../../accounts/resources/resource-definition.js';
import { tooManyCampaigns } from '../campaigns.errors.js';
import { Campaign } from '../entities/campaign.entity.js';
import { ACTIVE_CAMPAIGNS } from './campaign-limit.js';
import { snapshotOfCampaign } from './campaign.presenter.js';
import { isActive } from './campaign.rules.js';

/** Deleting a campaign leaves its line items unchanged. */
export const CAMPAIGNS = defineResource<Campaign>({
  entity: Campaign,
  name: 'CAMPAIGN',
  label: 'Campaign',
  parameter: 'campaign_id',
  snapshot: snapshotOfCampaign,
  limits: [
    {
      kind: ACTIVE_CAMPAIGNS.kind,
      limit: ACTIVE_CAMPAIGNS.limit,
      ownerOf: ({ accountId }) => accountId,
      counts: isActive,
      refusal: tooManyCampaigns,
    },
  ],
});
