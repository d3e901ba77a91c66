import { ApiProperty } from '@nestjs/swagger';
import { present } from '../../common/http/answers/present.js';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { ID, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
import { LINE_ITEM_CURATED_CATEGORIES, LineItemCuratedCategory } from './line-item-curated-category.entity.js';

export class LineItemCuratedCategoryView extends ResourceView {
  /** The line item. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** The curated category. */
  @ApiProperty(ID) @Unescaped() curated_category_id: string;
}

export const presentLineItemCuratedCategory = (chosen: Row<LineItemCuratedCategory>): LineItemCuratedCategoryView =>
  present(LineItemCuratedCategoryView, chosen);

recordAs(LINE_ITEM_CURATED_CATEGORIES, LineItemCuratedCategoryView, presentLineItemCuratedCategory);
