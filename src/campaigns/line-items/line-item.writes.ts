import { Injectable } from '@nestjs/common';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { defineWrite, type WriteScope } from '../../accounts/resources/define-write.js';
import { unknownReference } from '../../accounts/resources/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { ConflictRetry } from '../../common/db/query/retry.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { Campaign } from '../entities/campaign.entity.js';
import { CAMPAIGNS } from '../campaigns/campaign.resource.js';
import { newPlatforms, targetChangedPlatforms } from '../criterion-sets/automatic-platforms.js';
import { CampaignCache } from './campaign-cache.js';
import { LineItemReference } from './line-item-reference.service.js';
import { newLineItem, patchOf, problemsOfNew, problemsOfPatch, type CompleteCategories } from './line-item.changes.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { LINE_ITEMS } from './line-item.resource.js';
import type { LineItemContext } from './line-item.rules.js';
import { campaignsUnchanged, extendCampaignFlight, recomputeCampaign } from '../statements/line-item.statements.js';
import type { CreateLineItem, DeleteLineItemOperation, UpdateLineItemOperation } from './line-items.dto.js';

type LineItemRow = Row<LineItem>;
type CampaignRow = Row<Campaign>;
type Scope = WriteScope<LineItem>;
type SentLineItem = Partial<Pick<UpdateLineItemOperation, 'campaign_id' | 'line_item_id'>>;

/** A line item after a write, with its campaign. */
export interface WrittenLineItem {
  item: LineItemRow;
  campaign: CampaignRow;
}

/** The data that the rules need for all requests. */
interface Context {
  /** The campaigns that the requests name, and those of the updated line items. */
  campaigns: ReadonlyMap<string, CampaignRow>;
  /** The data that a line item of this campaign is validated against. */
  of: (campaignId?: string) => LineItemContext;
  whole: CompleteCategories;
  /** Clears the campaign cache, if the campaigns come from it. */
  forget?: () => void;
}

/** Creates, updates and deletes line items. */
@Injectable()
export class LineItemWrites {
  private readonly cache = new CampaignCache();

  constructor(
    private readonly promotableUsers: PromotableUserCache,
    private readonly resources: Resources,
    private readonly reference: LineItemReference,
  ) {}

  private readonly context = async (
    scope: Scope,
    requests: readonly Parsed<SentLineItem>[],
    creating: readonly Parsed<SentLineItem>[],
  ): Promise<Context> => {
    const { account, unitOfWork, db } = scope;
    const named = [...new Set(creating.flatMap((request) => request.value('campaign_id') ?? []))];
    const stored = [...unitOfWork.stored.values()].map(({ campaignId }) => campaignId);
    const [{ found, isCached }, advertiser] = await Promise.all([
      this.campaignsOf(scope, [...new Set([...named, ...stored])], requests.length),
      // A stored line item has its own advertiser.
      named.length > 0 ? this.promotableUsers.find(account, undefined, db) : undefined,
    ]);
    if (named.length > 0) {
      if (advertiser) unitOfWork.require(this.promotableUsers.exist([advertiser]));
      this.requireUnchanged(scope, found, named);
    }
    if (stored.length > 0) {
      unitOfWork.afterFlush((tx) => recomputeCampaign(tx, account.id, stored));
      targetChangedPlatforms(account, unitOfWork);
    }
    const bids = await this.reference.bids(
      found.map(({ currency }) => currency),
      db,
    );
    const categories = await this.reference.categories(db);
    const campaigns = new Map(found.map((campaign) => [campaign.id, campaign]));
    const shared = { account, advertiser: advertiser?.userId ?? null, categories, now: unitOfWork.now };
    return {
      campaigns,
      of: (id) => {
        const campaign = id === undefined ? undefined : campaigns.get(id);
        return campaign ? { ...shared, campaign, bids: bids.get(campaign.currency) } : shared;
      },
      whole: categories.whole,
      ...(isCached && { forget: () => this.cache.forget(named) }),
    };
  };

  readonly create = defineWrite<LineItem, CreateLineItem, Context, WrittenLineItem>(LINE_ITEMS, {
    context: this.context,
    problems: (request, { of }) => {
      const id = request.value('campaign_id');
      const context = of(id);
      const unknown = unknownReference(CAMPAIGNS, context.account, id, context.campaign);
      return [...unknown, ...problemsOfNew(request, context)];
    },
    apply: (unitOfWork, params, { of, whole }) => {
      const { account, campaign, ...rest } = of(params.campaign_id);
      const item = unitOfWork.create(newLineItem(params, { account, campaign: campaign!, ...rest }, whole));
      // Later operations of a batch are validated against it.
      campaign!.objective ??= item.objective;
      campaign!.productType ??= item.productType;
      return { item, campaign: campaign! };
    },
    // The cached campaign may be out of date: only the stored one justifies a rejection.
    refused: ({ forget }) => {
      if (!forget) return;
      forget();
      throw new ConflictRetry();
    },
  });

  readonly update = defineWrite<LineItem, UpdateLineItemOperation, Context, WrittenLineItem>(LINE_ITEMS, {
    target: 'line_item_id',
    narrow: ofLivingCampaigns,
    locking: () => ({ lock: 'pessimistic_write' }),
    context: this.context,
    problems: (request, { of }, item) => problemsOfPatch(request, of(item.campaignId), item),
    apply: (unitOfWork, params, { campaigns, of, whole }, before) => {
      const item = unitOfWork.update(before.id, patchOf(params, of(before.campaignId), before, whole));
      return { item, campaign: campaigns.get(item.campaignId)! };
    },
  });

  readonly delete = defineWrite<LineItem, DeleteLineItemOperation, Context, WrittenLineItem>(LINE_ITEMS, {
    target: 'line_item_id',
    narrow: ofLivingCampaigns,
    locking: () => ({ lock: 'pessimistic_write' }),
    context: this.context,
    apply: (unitOfWork, _, { campaigns }, before) => {
      const item = unitOfWork.delete(before.id);
      return { item, campaign: campaigns.get(item.campaignId)! };
    },
  });

  /** The writes of a batch, by operation type. */
  readonly batch = { Create: this.create, Update: this.update, Delete: this.delete };

  /** New line items are stored only if their campaigns are unchanged since validation. */
  private requireUnchanged({ account, unitOfWork }: Scope, campaigns: readonly CampaignRow[], named: string[]): void {
    const seen = campaigns.map((campaign) => ({ ...campaign }));
    unitOfWork.beforeFlush(() => {
      const created = unitOfWork.created();
      if (created.length === 0) return;
      const extension = extendCampaignFlight(seen, created);
      if (!extension.empty) this.cache.forget(named);
      unitOfWork.require(campaignsUnchanged(seen, created, () => this.cache.forget(named)));
      unitOfWork.addWrite(extension, ...newPlatforms(account, created, unitOfWork.now));
    });
  }

  /** Campaigns, locked if there is a transaction. A single request outside a transaction may use cached ones. */
  private async campaignsOf(
    { account, db }: Scope,
    ids: string[],
    requests: number,
  ): Promise<{ found: CampaignRow[]; isCached: boolean }> {
    const campaigns = this.resources.of(account, CAMPAIGNS, db).whereIn('id', ids);
    if (db.queryRunner) return { found: await campaigns.setLock('for_no_key_update').getMany(), isCached: false };
    const cached = requests === 1 ? this.cache.get(account, ids) : undefined;
    if (cached) return { found: cached, isCached: true };
    const found = await campaigns.getMany();
    if (requests === 1) this.cache.keep(found);
    return { found, isCached: false };
  }
}

/** Line items of deleted campaigns cannot be changed. */
function ofLivingCampaigns(items: Rows<LineItem>): Rows<LineItem> {
  return items.whereTrue('campaignDeleted', false);
}
