import { Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, RefersTo, SpecialReference } from '../../common/entity/snapshots.js';

/** The index that limits a line item to one. */
const ONE_CATEGORY = 'line_item_curated_categories_one';

/** The curated category in whose videos a line item shows its own. */
@Entity('line_item_curated_categories')
@InSnapshots()
@Index('line_item_curated_categories_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(ONE_CATEGORY, ['accountId', 'lineItemId'], { unique: true, where: '"deletedAt" IS NULL' })
export class LineItemCuratedCategory extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('line_items') lineItemId: string;
  @IdColumn() @SpecialReference('an import requires the category') curatedCategoryId: string;
}

/** A line item has at most one. A concurrent second request finds the first row. */
export const LINE_ITEM_CURATED_CATEGORIES = defineResource<LineItemCuratedCategory>({
  entity: LineItemCuratedCategory,
  name: 'LINE_ITEM_CURATED_CATEGORY',
  label: 'Line Item Curated Category',
  parameter: 'line_item_curated_category_id',
  uniques: [{ index: ONE_CATEGORY, columns: ['lineItemId'] }],
});
