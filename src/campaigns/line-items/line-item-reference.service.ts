import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { wholeGroups } from '../reference/advertiser-business-categories/advertiser-business-categories.rules.js';
import { AdvertiserBusinessCategoriesService } from '../reference/advertiser-business-categories/advertiser-business-categories.service.js';
import { BiddingRulesService } from '../reference/bidding-rules/bidding-rules.service.js';
import { IabCategoriesService } from '../reference/iab-categories/iab-categories.service.js';
import type { CompleteCategories } from './line-item.changes.js';
import type { BidBounds, LineItemContext } from './line-item.terms.js';

/** The reference data that line items are validated against, held in memory. */
@Injectable()
export class LineItemReference {
  constructor(
    private readonly biddingRules: BiddingRulesService,
    private readonly businesses: AdvertiserBusinessCategoriesService,
    private readonly iabCategories: IabCategoriesService,
  ) {}

  /** The bid bounds of each of these currencies. */
  async bids(currencies: Iterable<string>, db?: EntityManager): Promise<Map<string, BidBounds>> {
    const bounds = new Map<string, BidBounds>();
    for (const currency of new Set(currencies)) {
      const rule = await this.biddingRules.of(currency, db);
      bounds.set(currency, {
        minimum: rule.minimumCpeBidLocalMicro,
        maximum: rule.maximumCpeBidLocalMicro,
        denomination: rule.minimumDenomination,
      });
    }
    return bounds;
  }

  /** Which categories exist, and to which advertiser business categories they belong. */
  async categories(db?: EntityManager): Promise<LineItemContext['categories'] & { whole: CompleteCategories }> {
    const businesses = await this.businesses.all(db);
    const known = await this.iabCategories.ids(db);
    return {
      unknown: (ids) => ids.filter((id) => !known.has(id)),
      groups: (ids) => wholeGroups(ids, businesses).groups,
      whole: (ids) => wholeGroups(ids, businesses).categories,
    };
  }
}
