import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { exclusive, invalid, notFound } from '../../common/errors/catalogue.js';
import { MAX_PUBLISHERS } from '../criterion-sets/criterion-set.rules.js';
import type { CuratedCategory } from '../entities/curated-category.entity.js';
import { LINE_ITEMS, type LineItem } from '../entities/line-item.entity.js';
import { inStreamProblem } from '../shown-things.js';
import type { LineItemCuratedCategory } from './line-item-curated-category.entity.js';

/** The existing targeting of a line item, as far as it affects curated categories. */
export interface Targeted {
  /** ISO 3166-1 alpha-2 codes; undefined if it targets every country. */
  countries?: readonly string[];
  /** Whether it targets content categories (IAB_CATEGORY). */
  contentCategories: boolean;
  /** The number of publishers that it excludes, as far as it matters. */
  publishers: number;
}

/** The requested ids and the rows found. Undefined if an id is absent or unreadable. */
export interface CategoryChoice {
  line?: {
    id: string;
    item?: Row<LineItem>;
    targeted: Targeted;
    /** The curated category that the line item already has. */ chosen?: Row<LineItemCuratedCategory>;
  };
  curated?: { id: string; category?: Row<CuratedCategory> };
}

/** Problems of a curated category on a line item. `isMoved`: a row comes to it, so that it must have none, not even the same. */
export function problemsOfChoice(
  account: { id: string },
  { line, curated }: CategoryChoice,
  isMoved = false,
): ApiError[] {
  // it is returned as it is, whatever became of its terms
  if (!isMoved && line?.item && curated && line.chosen?.curatedCategoryId === curated.id) return [];
  const problems: ApiError[] = [];
  if (line && !line.item) problems.push(LINE_ITEMS.notFoundError(account)(line.id));
  const unfit = line?.item && inStreamProblem(line.item, 'a curated category');
  if (unfit) problems.push(unfit);
  if (line?.item && line.targeted.contentCategories) problems.push(exclusive('IAB_CATEGORY', 'curated_category_id'));
  if (line?.item && line.targeted.publishers > MAX_PUBLISHERS.withCuratedCategory)
    problems.push(tooManyPublishers(line.id));
  if (curated && !curated.category)
    problems.push(notFound('Curated Category', 'curated_category_id', curated.id, account.id));
  const { chosen } = line ?? {};
  if (chosen && curated && (isMoved || chosen.curatedCategoryId !== curated.id)) problems.push(hasOneAlready(chosen));
  const { countries } = line?.targeted ?? {};
  const category = curated?.category;
  if (line?.item && category && countries && !countries.some((country) => category.countryCodes.includes(country)))
    problems.push(
      invalid(
        'curated_category_id',
        `Curated Category ${category.id} is not available in the countries that Line Item ${line.id} targets`,
        {
          value: category.id,
          details: `it is available in ${category.countryCodes.join(', ')}; the line item targets ${countries.join(', ')}`,
        },
      ),
    );
  return problems;
}

const tooManyPublishers = (lineItemId: string): ApiError =>
  invalid('line_item_id', `Line Item ${lineItemId} excludes too many publishers for a curated category`, {
    value: lineItemId,
    details: `a line item with a curated category excludes at most ${MAX_PUBLISHERS.withCuratedCategory} (CONTENT_PUBLISHER_USER)`,
  });

const hasOneAlready = ({ id, lineItemId }: Row<LineItemCuratedCategory>): ApiError =>
  invalid('line_item_id', `Line Item ${lineItemId} already has a curated category`, {
    value: lineItemId,
    details: `change Line Item Curated Category ${id} with PUT, or delete it first`,
  });
