import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../../common/db/query/rows.js';
import type { IabCategory } from './iab-category.entity.js';

export class IabCategoryView {
  /** Its code in the content taxonomy of OpenRTB 2: `IAB1` to `IAB26`, and below them `IAB1-1` and so on. */
  @ApiProperty({ type: String, example: 'IAB1-6' }) id: string;
  /** The category that it is a part of; null in the first tier. */
  @ApiProperty({ type: String, nullable: true, example: 'IAB1' }) parent_id: string | null;
  /** What it is called. */
  @ApiProperty({ type: String, example: 'Music' }) name: string;
}

export const presentIabCategory = ({ id, parentId, name }: Row<IabCategory>): IabCategoryView => ({
  id,
  parent_id: parentId,
  name,
});
