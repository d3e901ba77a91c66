import { defineResource } from '../../accounts/resources/resource-definition.js';
import { ONE_CATEGORY, LineItemCuratedCategory } from './line-item-curated-category.entity.js';
import { presentLineItemCuratedCategory } from './line-item-curated-category.presenter.js';

/** A line item has at most one. A concurrent second request finds the first row. */
export const LINE_ITEM_CURATED_CATEGORIES = defineResource<LineItemCuratedCategory>({
  entity: LineItemCuratedCategory,
  name: 'LINE_ITEM_CURATED_CATEGORY',
  label: 'Line Item Curated Category',
  parameter: 'line_item_curated_category_id',
  snapshot: presentLineItemCuratedCategory,
  uniques: [{ index: ONE_CATEGORY, columns: ['lineItemId'] }],
});
