import { Text, Int } from '../http/params/fields.js';
import { invalid } from '../errors/catalogue.js';
import { ApiError } from '../errors/api-error.js';
import type { Row, Rows } from '../db/query/rows.js';
import { page, type IdentifiedRow } from './page.js';
import { type Page } from '../http/answers/page.js';

/** The parameters of lists of the `/2` family, which page the same way under other names. */
export class TokenQuery {
  /** Maximum number of items in a page. */
  @Int({ optional: true, min: 1, max: 1000, default: 100 })
  max_results = 100;

  /** The `next_token` of the previous page. All other parameters must stay the same. */
  @Text({ optional: true, max: 2000 })
  pagination_token?: string;
}

/** One page of the given rows, newest first. */
export async function tokenPage<T extends IdentifiedRow>(
  rows: Rows<T>,
  { max_results, pagination_token }: TokenQuery,
): Promise<Page<Row<T>>> {
  try {
    return await page(rows, { count: max_results, cursor: pagination_token });
  } catch (error) {
    if (!(error instanceof ApiError) || error.detail.parameter !== 'cursor') throw error;
    throw invalid(
      'pagination_token',
      'Expected the next_token of a page with the same parameters for pagination_token',
      {
        value: pagination_token,
      },
    );
  }
}
