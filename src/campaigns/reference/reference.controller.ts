import { Get } from '@nestjs/common';
import { CallerController } from '../../auth/guards/ads-controller.js';
import { ReturnsList, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { AdvertiserBusinessCategoriesService } from './advertiser-business-categories/advertiser-business-categories.service.js';
import { BiddingRulesService } from './bidding-rules/bidding-rules.service.js';
import { ContentCategoriesService } from './content-categories/content-categories.service.js';
import { IabCategoriesService } from './iab-categories/iab-categories.service.js';
import { placementsOf } from './placements.js';
import { presentPublisher, PublisherView } from './publishers/publisher.presenter.js';
import { ListPublishers } from './publishers/publishers.dto.js';
import { PublishersService } from './publishers/publishers.service.js';
import { ListBiddingRules, ListIabCategories, ListPlacements } from './reference.dto.js';
import {
  AdvertiserBusinessCategoryView,
  BiddingRuleView,
  ContentCategoryView,
  IabCategoryView,
  PlacementsView,
  presentAdvertiserBusinessCategory,
  presentBiddingRule,
  presentContentCategory,
  presentIabCategory,
  presentPlacements,
} from './reference.presenter.js';

@CallerController('advertiser_business_categories', { tag: 'Reference data' })
export class AdvertiserBusinessCategoriesController {
  constructor(private readonly categories: AdvertiserBusinessCategoriesService) {}

  /** Lists the advertiser business categories, the lines of business of advertisers, on one page. */
  @Get()
  @ReturnsList(AdvertiserBusinessCategoryView, { next_cursor: true })
  async list() {
    return (await this.categories.list()).map(presentAdvertiserBusinessCategory);
  }
}

@CallerController('bidding_rules', { tag: 'Reference data' })
export class BiddingRulesController {
  constructor(private readonly rules: BiddingRulesService) {}

  /** Lists the minimum and maximum bids by currency. They rarely change: one request per month is enough. */
  @Get()
  @ReturnsList(BiddingRuleView, { data_type: 'bidding_rule', total_count: true })
  async list(@Params() query: ListBiddingRules) {
    return (await this.rules.list(query)).map(presentBiddingRule);
  }
}

@CallerController('content_categories', { tag: 'Reference data' })
export class ContentCategoriesController {
  constructor(private readonly categories: ContentCategoriesService) {}

  /** Lists the content categories of videos that can carry ads, on one page. */
  @Get()
  @ReturnsList(ContentCategoryView, { next_cursor: true, total_count: true })
  async list() {
    return (await this.categories.list()).map(presentContentCategory);
  }
}

@CallerController('iab_categories', { tag: 'Reference data' })
export class IabCategoriesController {
  constructor(private readonly categories: IabCategoriesService) {}

  /** Lists the IAB content categories. Other categories consist of them. */
  @Get()
  @ReturnsPage(IabCategoryView)
  async list(@Params() query: ListIabCategories) {
    return (await this.categories.list(query)).map(presentIabCategory);
  }
}

@CallerController('line_items/placements', { tag: 'Reference data' })
export class PlacementsController {
  /**
   * Lists the combinations of placements that line items can have, by product type. For MEDIA, `ALL_ON_PLATFORM` is for
   * the objective PREROLL_VIEWS and `TAP_*` for the other objectives.
   */
  @Get()
  @ReturnsList(PlacementsView)
  list(@Params() query: ListPlacements) {
    return placementsOf(query.product_type).map(presentPlacements);
  }
}

@CallerController('publishers', { tag: 'Reference data' })
export class PublishersController {
  constructor(private readonly publishers: PublishersService) {}

  /** Lists the users whose videos can carry ads. */
  @Get()
  @ReturnsPage(PublisherView)
  async list(@Params() query: ListPublishers) {
    return (await this.publishers.list(query)).map(presentPublisher);
  }
}
