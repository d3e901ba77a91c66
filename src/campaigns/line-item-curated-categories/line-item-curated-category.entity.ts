import { Entity, Index } from 'typeorm';
import { IdColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';

/** The index that limits a line item to one. */
export const ONE_CATEGORY = 'line_item_curated_categories_one';

/** The curated category in whose videos a line item shows its own. */
@Entity('line_item_curated_categories')
@Index('line_item_curated_categories_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(ONE_CATEGORY, ['accountId', 'lineItemId'], { unique: true, where: '"deletedAt" IS NULL' })
export class LineItemCuratedCategory extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() lineItemId: string;
  @IdColumn() curatedCategoryId: string;
}
