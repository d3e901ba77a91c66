import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { Params, ParsedParams } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import {
  CreateLineItemCuratedCategory,
  ListLineItemCuratedCategories,
  UpdateLineItemCuratedCategory,
} from './line-item-curated-categories.dto.js';
import { LineItemCuratedCategoriesService } from './line-item-curated-categories.service.js';
import { LineItemCuratedCategoryView, presentLineItemCuratedCategory } from './line-item-curated-category.presenter.js';

@AccountController('line_item_curated_categories', {
  tag: 'Line item curated categories',
  reads: CAMPAIGNS_READ,
  writes: CAMPAIGNS_WRITE,
})
export class LineItemCuratedCategoriesController {
  constructor(private readonly chosen: LineItemCuratedCategoriesService) {}

  /** Lists the curated categories of line items, with filters and pagination. */
  @Get()
  @ReturnsPage(LineItemCuratedCategoryView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListLineItemCuratedCategories) {
    return (await this.chosen.list(account, query)).map(presentLineItemCuratedCategory);
  }

  /** Returns a line item curated category. */
  @Get(':line_item_curated_category_id')
  @Returns(LineItemCuratedCategoryView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('line_item_curated_category_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentLineItemCuratedCategory(await this.chosen.get(account, id, query));
  }

  /**
   * Attaches a curated category to a line item, which then shows its videos in those of the category. A line item has
   * at most one. If it already has this category, returns the existing one unchanged.
   */
  @Post()
  @Returns(LineItemCuratedCategoryView, { status: [200, 201] })
  async create(
    @CurrentAccount() account: ActingAccount,
    @ParsedParams(CreateLineItemCuratedCategory) request: Parsed<CreateLineItemCuratedCategory>,
  ) {
    return (await this.chosen.create(account, request)).map(presentLineItemCuratedCategory);
  }

  /** Changes the curated category, the line item or both. */
  @Put(':line_item_curated_category_id')
  @Returns(LineItemCuratedCategoryView)
  async update(
    @CurrentAccount() account: ActingAccount,
    @Param('line_item_curated_category_id') id: string,
    @ParsedParams(UpdateLineItemCuratedCategory) request: Parsed<UpdateLineItemCuratedCategory>,
  ) {
    return presentLineItemCuratedCategory(await this.chosen.update(account, id, request));
  }

  /** Removes the curated category from the line item. Repeating the call returns 404. */
  @Delete(':line_item_curated_category_id')
  @Returns(LineItemCuratedCategoryView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('line_item_curated_category_id') id: string) {
    return presentLineItemCuratedCategory(await this.chosen.delete(account, id));
  }
}
