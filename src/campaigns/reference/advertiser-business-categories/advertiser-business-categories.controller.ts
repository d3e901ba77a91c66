import { Get } from '@nestjs/common';
import { CallerController } from '../../../auth/guards/ads-controller.js';
import { ReturnsList } from '../../../common/http/answers/returns.js';
import { AdvertiserBusinessCategoriesService } from './advertiser-business-categories.service.js';
import {
  AdvertiserBusinessCategoryView,
  presentAdvertiserBusinessCategory,
} from './advertiser-business-category.presenter.js';

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
