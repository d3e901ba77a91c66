import { CampaignsService } from '../../../src/campaigns/campaigns/campaigns.service.js';
import type { CreateCampaign } from '../../../src/campaigns/campaigns/campaigns.dto.js';
import { FundingInstrumentsService } from '../../../src/campaigns/funding-instruments/funding-instruments.service.js';
import type { CreateFundingInstrument } from '../../../src/campaigns/funding-instruments/funding-instruments.dto.js';
import { world } from '../app.js';
import { fresh, type Some } from './fresh.js';

/** When a campaign runs: what its line items span. */
interface Flight {
  start_time?: string | null;
  end_time?: string | null;
}

/** What is advertised, and what pays for it. */
export const campaigns = {
  async fundingInstrument({ account, ...params }: Some<CreateFundingInstrument>) {
    return world()
      .get(FundingInstrumentsService)
      .create(account, { currency: 'USD', start_time: '2026-01-01T00:00:00Z', type: 'CREDIT_CARD', ...params });
  },

  /** An active campaign; its funding is made where none is named. */
  async campaign({ start_time = null, end_time = null, ...params }: Some<CreateCampaign> & Flight) {
    const [campaign] = await campaigns.campaigns({ count: 1, ...params });
    if (start_time === null && end_time === null) return campaign;
    const flight = `UPDATE campaigns SET "startTime" = $2, "endTime" = $3 WHERE id = $1`;
    await world().sql(flight, campaign.id, start_time, end_time);
    return { ...campaign, startTime: start_time, endTime: end_time };
  },

  /** Many campaigns that differ in their numbered names, 40 at a time. */
  async campaigns({ account, count: wanted, ...params }: Some<CreateCampaign> & { count: number }) {
    const funding_instrument_id = params.funding_instrument_id ?? (await campaigns.fundingInstrument({ account })).id;
    const service = world().get(CampaignsService);
    const operations = Array.from({ length: wanted }, () => ({
      operation_type: 'Create',
      params: {
        name: fresh('Campaign'),
        daily_budget_amount_local_micro: 5_500_000,
        ...params,
        funding_instrument_id,
      },
    }));
    const made = [];
    for (let from = 0; from < wanted; from += 40) {
      const { items } = await service.batch(account, operations.slice(from, from + 40));
      made.push(...items.map(({ campaign }) => campaign));
    }
    return made;
  },
};
