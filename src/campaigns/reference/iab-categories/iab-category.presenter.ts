import { Noun } from '../../../common/http/answers/describe-answer.js';
import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../../common/db/query/rows.js';
import type { IabCategory } from './iab-category.entity.js';

@Noun('IAB category')
export class IabCategoryView {
  /**
   * The category's code in the content taxonomy of OpenRTB 2: `IAB1` to `IAB26`, with subcategories such as `IAB1-1`.
   */
  @ApiProperty({ type: String, example: 'IAB1-6' }) id: string;
  /** The id of the parent category. Null in the first tier. */
  @ApiProperty({ type: String, nullable: true, example: 'IAB1' }) parent_id: string | null;
  /** The category's name. */
  @ApiProperty({ type: String, example: 'Music' }) name: string;
}

export const presentIabCategory = ({ id, parentId, name }: Row<IabCategory>): IabCategoryView => ({
  id,
  parent_id: parentId,
  name,
});
