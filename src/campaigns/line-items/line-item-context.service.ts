import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { AdvertisedProducts } from '../../catalogs/advertised-products/advertised-products.service.js';
import type { OwnProductSets } from '../../catalogs/advertised-products/own-product-sets.js';
import { maxEntries } from '../../common/db/cache/shared-cache.js';
import type { Row } from '../../common/db/query/rows.js';
import { allStillExist } from '../../common/db/query/preconditions.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { WEB_EVENT_TAGS, WebEventTag } from '../../measurement/entities/web-event-tag.entity.js';
import { newPlatforms, targetChangedPlatforms } from '../criterion-sets/automatic-platforms.js';
import { campaignAsOf } from '../budgets-as-of.js';
import { CAMPAIGNS, type Campaign } from '../entities/campaign.entity.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { campaignsUnchanged, extendCampaignFlight, recomputeCampaign } from '../statements/line-item.statements.js';
import { LineItemReference } from './line-item-reference.service.js';
import type { CompleteCategories } from './line-item.changes.js';
import type { LineItemContext } from './line-item.terms.js';
import type { CreateLineItem, UpdateLineItem } from './line-items.dto.js';

type CampaignRow = Row<Campaign>;

const NO_PRODUCTS: OwnProductSets = { setIds: new Set() };

/** Maximum number of cached campaigns. */
const MAX_CACHED_CAMPAIGNS = 10_000;

/**
 * Campaigns as new line items were last validated against them. No notification reports their changes: a statement that
 * relies on a cached campaign checks it again, and a request that the cached campaign would reject is validated again
 * against the stored one.
 */
class CampaignCache {
  private readonly rows = new LRUCache<string, CampaignRow>(maxEntries(MAX_CACHED_CAMPAIGNS));

  /** Copies of these campaigns of an account; undefined if one of them is not cached. */
  get(account: { id: string }, ids: readonly string[]): CampaignRow[] | undefined {
    const found: CampaignRow[] = [];
    for (const id of ids) {
      const campaign = this.rows.get(id);
      if (campaign?.accountId !== account.id) return undefined;
      found.push({ ...campaign });
    }
    return found;
  }

  keep(campaigns: readonly CampaignRow[]): void {
    for (const campaign of campaigns) this.rows.set(campaign.id, { ...campaign });
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) this.rows.delete(id);
  }
}

/** The data that the rules need for the line items of a write. */
export interface LineItemContexts {
  /** The campaigns that the requests name, and those of the locked line items. */
  campaigns: ReadonlyMap<string, Row<Campaign>>;
  /** The data that a line item of this campaign is validated against. */
  of: (campaignId?: string) => LineItemContext;
  completeCategories: CompleteCategories;
  /**
   * Called before a request is rejected: runs the write again if the campaigns come from the cache, because only stored
   * ones justify a rejection.
   */
  confirm: () => void;
}

/** Reads what the rules of line items need, and keeps their campaigns up to date. */
@Injectable()
export class LineItemContextReader {
  private readonly cache = new CampaignCache();

  constructor(
    private readonly promotableUsers: PromotableUserCache,
    private readonly resources: Resources,
    private readonly reference: LineItemReference,
    private readonly products: AdvertisedProducts,
  ) {}

  /**
   * `creating`: the requests that create line items. `updating`: those that change them. Adds preconditions and the writes
   * of campaigns to the unit.
   */
  async read(
    unit: UnitOfWork<LineItem>,
    creating: readonly Parsed<CreateLineItem>[],
    updating: readonly Parsed<UpdateLineItem>[] = [],
  ): Promise<LineItemContexts> {
    const { account, db } = unit;
    const named = [...new Set(creating.flatMap((request) => request.value('campaign_id') ?? []))];
    const stored = [...unit.stored.values()].map(({ campaignId }) => campaignId);
    const [{ found, isCached }, advertiser, tags, products] = await Promise.all([
      // A rejection makes the cache forget the campaigns that requests name, not those of stored line items.
      this.campaignsOf(unit, [...new Set([...named, ...stored])], creating.length === 1 && stored.length === 0),
      // A stored line item has its own advertiser.
      named.length > 0 ? this.promotableUsers.find(account, undefined, db) : undefined,
      this.tagsOf(unit, [...creating, ...updating]),
      this.productsOf(unit, [...creating, ...updating]),
    ]);
    if (advertiser) unit.require(this.promotableUsers.exist([advertiser]));
    if (named.length > 0) this.requireUnchanged(unit, found, named);
    if (stored.length > 0) {
      unit.afterFlush(() => recomputeCampaign(db, account.id, stored));
      targetChangedPlatforms(unit);
    }
    const bids = await this.reference.bids(
      found.map(({ currency }) => currency),
      db,
    );
    const categories = await this.reference.categories(db);
    const campaigns = new Map(found.map((campaign) => [campaign.id, campaignAsOf(campaign, account.asOf)]));
    const shared = { account, advertiser: advertiser?.userId ?? null, categories, tags, products, now: unit.now };
    return {
      campaigns,
      of: (id) => {
        const campaign = id === undefined ? undefined : campaigns.get(id);
        return campaign ? { ...shared, campaign, bids: bids.get(campaign.currency) } : shared;
      },
      completeCategories: categories.whole,
      confirm: () => {
        if (!isCached) return;
        this.cache.forget(named);
        unit.retry();
      },
    };
  }

  /** The tags of the account that requests name. A deletion waits until the unit is stored. */
  private async tagsOf(
    unit: UnitOfWork<LineItem>,
    requests: readonly (Parsed<CreateLineItem> | Parsed<UpdateLineItem>)[],
  ): Promise<ReadonlySet<string>> {
    const named = new Set(requests.flatMap((request) => request.value('primary_web_event_tag') || []));
    if (named.size === 0) return new Set();
    const found = await this.resources
      .of(unit.account, WEB_EVENT_TAGS, unit.db)
      .whereIn('id', [...named])
      .getMany();
    unit.require(...allStillExist(WebEventTag, found));
    return new Set(found.map(({ id }) => id));
  }

  /** The product sets of the user that requests name. A deletion does not wait: line items keep what is deleted. */
  private async productsOf(
    { account, db }: UnitOfWork<LineItem>,
    requests: readonly (Parsed<CreateLineItem> | Parsed<UpdateLineItem>)[],
  ): Promise<OwnProductSets> {
    const named = (name: 'catalog_id' | 'product_set_id') => requests.flatMap((request) => request.value(name) || []);
    const sets = new Set(named('product_set_id'));
    if (sets.size === 0 && named('catalog_id').length === 0) return NO_PRODUCTS;
    return this.products.ownSets(db, account.userId, [...sets]);
  }

  /** New line items are stored only if their campaigns are unchanged since validation. */
  private requireUnchanged(unit: UnitOfWork<LineItem>, campaigns: readonly Row<Campaign>[], named: string[]): void {
    const validated = campaigns.map((campaign) => ({ ...campaign }));
    unit.beforeFlush(() => {
      const created = unit.created();
      if (created.length === 0) return;
      const extension = extendCampaignFlight(validated, created);
      if (!extension.empty) this.cache.forget(named);
      unit.require(campaignsUnchanged(validated, created, () => this.cache.forget(named)));
      unit.addWrite(extension, ...newPlatforms(unit.account, created, unit.now));
    });
  }

  /** Campaigns, locked if there is a transaction. A single request outside a transaction may use cached ones. */
  private async campaignsOf(
    { account, db, isLocking }: UnitOfWork<LineItem>,
    ids: string[],
    isSingle: boolean,
  ): Promise<{ found: Row<Campaign>[]; isCached: boolean }> {
    if (ids.length === 0) return { found: [], isCached: false };
    const campaigns = this.resources.of(account, CAMPAIGNS, db).whereIn('id', ids);
    if (isLocking) return { found: await campaigns.setLock('for_no_key_update').getMany(), isCached: false };
    const cached = isSingle ? this.cache.get(account, ids) : undefined;
    if (cached) return { found: cached, isCached: true };
    const found = await campaigns.getMany();
    if (isSingle) this.cache.keep(found);
    return { found, isCached: false };
  }
}
