import { Get } from '@nestjs/common';
import { CallerController } from '../../../auth/guards/ads-controller.js';
import { Params } from '../../../common/http/params/params.js';
import { ReturnsPage } from '../../../common/http/answers/returns.js';
import { ListIabCategories } from './iab-categories.dto.js';
import { IabCategoriesService } from './iab-categories.service.js';
import { IabCategoryView, presentIabCategory } from './iab-category.presenter.js';

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
