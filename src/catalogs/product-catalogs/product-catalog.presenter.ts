import { ApiProperty } from '@nestjs/swagger';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, Unescaped } from '../../common/http/answers/responses.js';
import type { ProductCatalog } from '../entities/product-catalog.entity.js';

/** The products of a user. */
export class ProductCatalogView {
  /** The id. */
  @ApiProperty(DECIMAL_ID) @Unescaped() id: string;
  /** The name. */
  @ApiProperty() name: string;
}

export const presentProductCatalog = ({ id, name }: Row<ProductCatalog>): ProductCatalogView => ({ id, name });
