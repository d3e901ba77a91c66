import { Get, Param } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../../accounts/access/acting-account.js';
import { Params } from '../../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../../common/http/answers/returns.js';
import { OneQuery } from '../../../common/list/list-query.js';
import { REFERENCE_READ } from '../../campaigns.permissions.js';
import { CuratedCategoryView, presentCuratedCategory } from './curated-category.presenter.js';
import { ListCuratedCategories } from './curated-categories.dto.js';
import { CuratedCategoriesService } from './curated-categories.service.js';

@AccountController('curated_categories', { tag: 'Curated categories', reads: REFERENCE_READ })
export class CuratedCategoriesController {
  constructor(private readonly categories: CuratedCategoriesService) {}

  /** Lists the curated categories: groups of publishers that can be targeted as one. Every page has a `total_count`. */
  @Get()
  @ReturnsPage(CuratedCategoryView)
  async list(@CurrentAccount() _account: ActingAccount, @Params() query: ListCuratedCategories) {
    return (await this.categories.list(query)).map(presentCuratedCategory);
  }

  /** Returns a curated category. */
  @Get(':curated_category_id')
  @Returns(CuratedCategoryView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('curated_category_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentCuratedCategory(await this.categories.read(account, id, query));
  }
}
