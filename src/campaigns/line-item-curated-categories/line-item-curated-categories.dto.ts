import { Example } from '../../common/http/params/dto-metadata.js';
import { Id, Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { LineItemCuratedCategory } from './line-item-curated-category.entity.js';

export class ListLineItemCuratedCategories extends ListQuery(LineItemCuratedCategory, {
  sortable: ['created_at', 'updated_at', 'deleted'],
}) {
  /** Filters by line item ids. */
  @Ids() line_item_ids?: string[];
  /** Filters by line item curated category ids. */
  @Ids() line_item_curated_category_ids?: string[];
}

@Example({ curated_category_id: '{curated_category_id}', line_item_id: '{spare_preroll_line_item_id}' })
export class CreateLineItemCuratedCategory {
  /** The curated category. */
  @Id() curated_category_id: string;
  /** The line item. Its objective must be PREROLL_VIEWS, and it must not have a curated category yet. */
  @Id() line_item_id: string;
}

@Example({ curated_category_id: '{curated_category_id}' })
export class UpdateLineItemCuratedCategory {
  /** The curated category. */
  @Id({ optional: true }) curated_category_id?: string;
  /** The line item. */
  @Id({ optional: true }) line_item_id?: string;
}
