import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { incompatibleLineItem } from '../campaigns.errors.js';
import type { LineItem } from '../entities/line-item.entity.js';
import type { ProductType } from '../entities/line-item.tables.js';

/** Whether a line item is configured for promoted accounts. */
export const takesAccounts = ({ id, productType }: Pick<Row<LineItem>, 'id' | 'productType'>): ApiError | undefined =>
  productType === 'PROMOTED_ACCOUNT'
    ? undefined
    : incompatibleLineItem(
        `Line Item ${id} is not configured for promoted accounts`,
        id,
        `its product_type is ${productType}, not PROMOTED_ACCOUNT`,
      );

/** Rejects a list for existing line items of which none is configured for promoted accounts. */
export const noneTakesAccounts = (ids: readonly string[], found: ReadonlySet<ProductType>): ApiError | undefined =>
  found.size === 0 || found.has('PROMOTED_ACCOUNT')
    ? undefined
    : incompatibleLineItem(
        'None of these line items is configured for promoted accounts',
        ids,
        `their product_type is ${[...found].sort().join(' or ')}, not PROMOTED_ACCOUNT`,
      );
