import { Injectable } from '@nestjs/common';
import { defineWrite, type WriteScope } from '../../accounts/resources/define-write.js';
import { count } from '../../common/db/counters/counters.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { FundingCache } from '../funding-instruments/funding-cache.service.js';
import { ACTIVE_LINE_ITEMS } from '../entities/line-item.limits.js';
import { amountsOf, lockedActive, lockItems, markCampaignDeleted } from '../statements/line-item.statements.js';
import type { Campaign } from '../entities/campaign.entity.js';
import { CAMPAIGNS } from './campaign.resource.js';
import {
  newCampaign,
  patchOf,
  problemsOfNew,
  problemsOfPatch,
  sendsBudget,
  type CampaignContext,
} from './campaign.rules.js';
import type { CreateCampaign, DeleteCampaignOperation, UpdateCampaignOperation } from './campaigns.dto.js';

type SentCampaign = Partial<CreateCampaign & UpdateCampaignOperation>;

/** Creates, updates and deletes campaigns. */
@Injectable()
export class CampaignWrites {
  constructor(private readonly funding: FundingCache) {}

  /**
   * Writes of line items lock or check their campaign. The updated campaigns are locked, so the amounts of their line
   * items do not change after they are read.
   */
  private readonly context = async (
    { account, unitOfWork, db }: WriteScope<Campaign>,
    requests: readonly Parsed<SentCampaign>[],
  ): Promise<CampaignContext> => {
    const named = requests.flatMap((request) => request.value('funding_instrument_id') ?? []);
    const stored = [...unitOfWork.stored.values()].map((campaign) => campaign.fundingInstrumentId);
    const fundings = await this.funding.byId(account, [...named, ...stored], db);
    unitOfWork.require(this.funding.unchanged(fundings.values()));
    const amounts = requests.some(sendsBudget)
      ? await amountsOf(db, account.id, [...unitOfWork.stored.keys()])
      : new Map();
    return { account, fundings, amounts, now: unitOfWork.now };
  };

  readonly create = defineWrite<Campaign, CreateCampaign, CampaignContext>(CAMPAIGNS, {
    context: this.context,
    problems: problemsOfNew,
    apply: (unitOfWork, params, context) => unitOfWork.create(newCampaign(params, context)),
  });

  readonly update = defineWrite<Campaign, UpdateCampaignOperation, CampaignContext>(CAMPAIGNS, {
    target: 'campaign_id',
    context: this.context,
    problems: problemsOfPatch,
    apply: (unitOfWork, params, _, campaign) => unitOfWork.update(campaign.id, patchOf(params, campaign)),
  });

  /** The line items of deleted campaigns remain unchanged. They are no longer listed and count toward no limit. */
  readonly delete = defineWrite<Campaign, DeleteCampaignOperation>(CAMPAIGNS, {
    target: 'campaign_id',
    locking: (requests, account) => ({
      lock: 'pessimistic_write',
      first: (db) => lockItems(db, account.id, idsOf(requests)),
    }),
    context: async ({ account, unitOfWork, db }, requests) => {
      const gone = idsOf(requests).filter((id) => unitOfWork.stored.has(id));
      if (gone.length === 0) return;
      const active = await lockedActive(db, account.id, gone);
      const released = { ...ACTIVE_LINE_ITEMS, ownerId: account.id, by: -active };
      unitOfWork.addWrite(markCampaignDeleted(account.id, gone), ...count([released]));
    },
    apply: (unitOfWork, { campaign_id: id }) => unitOfWork.delete(id),
  });

  /** The writes of a batch, by operation type. */
  readonly batch = { Create: this.create, Update: this.update, Delete: this.delete };
}

const idsOf = (requests: readonly Parsed<DeleteCampaignOperation>[]): string[] =>
  requests.flatMap((request) => request.value('campaign_id') ?? []);
