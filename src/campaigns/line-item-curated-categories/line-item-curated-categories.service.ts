import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Made } from '../../common/http/answers/made.js';
import type { Page } from '../../common/http/answers/page.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import type {
  CreateLineItemCuratedCategory,
  ListLineItemCuratedCategories,
  UpdateLineItemCuratedCategory,
} from './line-item-curated-categories.dto.js';
import type { LineItemCuratedCategory } from './line-item-curated-category.entity.js';
import { LINE_ITEM_CURATED_CATEGORIES } from './line-item-curated-category.resource.js';
import { LineItemCuratedCategoryWrites } from './line-item-curated-category.writes.js';

type ChosenRow = Row<LineItemCuratedCategory>;

/** Lists, creates, updates and deletes the curated categories of line items. */
@Injectable()
export class LineItemCuratedCategoriesService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly writes: LineItemCuratedCategoryWrites,
  ) {}

  list(account: ActingAccount, query: ListLineItemCuratedCategories): Promise<Page<ChosenRow>> {
    const chosen = this.resources
      .of(account, LINE_ITEM_CURATED_CATEGORIES)
      .whereIn('id', query.line_item_curated_category_ids)
      .whereIn('lineItemId', query.line_item_ids);
    return page(this.items.ofShown(account, chosen, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<ChosenRow> {
    return this.items.getBelonging(account, LINE_ITEM_CURATED_CATEGORIES, id, query);
  }

  create(account: ActingAccount, request: Parsed<CreateLineItemCuratedCategory>): Promise<Made<ChosenRow>> {
    return this.resources.perform(account, this.writes.create, request);
  }

  /** Changes the category, the line item or both. Unchanged values are not validated again. */
  update(account: ActingAccount, id: string, request: Parsed<UpdateLineItemCuratedCategory>): Promise<ChosenRow> {
    return this.resources.perform(account, this.writes.update, request.with({ line_item_curated_category_id: id }));
  }

  delete(account: ActingAccount, id: string): Promise<ChosenRow> {
    return this.items.deleteBelonging(account, LINE_ITEM_CURATED_CATEGORIES, id);
  }
}
