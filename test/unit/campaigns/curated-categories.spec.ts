import type { LineItem } from '../../../src/campaigns/entities/line-item.entity.js';
import {
  problemsOfChoice,
  type Targeted,
} from '../../../src/campaigns/line-item-curated-categories/line-item-curated-category.rules.js';
import type { CuratedCategory } from '../../../src/campaigns/entities/curated-category.entity.js';
import type { LineItemCuratedCategory } from '../../../src/campaigns/line-item-curated-categories/line-item-curated-category.entity.js';
import type { Row } from '../../../src/common/db/query/rows.js';

describe('what curated categories go with', () => {
  const item = { id: 'item', objective: 'PREROLL_VIEWS' } as Row<LineItem>;
  const category = { id: 'category', countryCodes: ['US', 'JP'] } as Row<CuratedCategory>;
  const problems = (targeted: Targeted, chosen?: Row<LineItemCuratedCategory>) =>
    problemsOfChoice(
      { id: 'a' },
      { line: { id: 'item', item, targeted, chosen }, curated: { id: 'category', category } },
    ).map(({ code, detail }) => `${code} ${detail.parameter}`);

  it.each([
    ['every country', { contentCategories: false, publishers: 5 }, []],
    ['one of its countries', { countries: ['DE', 'JP'], contentCategories: false, publishers: 5 }, []],
    [
      'none of its countries',
      { countries: ['DE'], contentCategories: false, publishers: 5 },
      ['INVALID_PARAMETER curated_category_id'],
    ],
    ['content categories', { contentCategories: true, publishers: 0 }, ['EXCLUSIVE_PARAMETERS curated_category_id']],
    ['six publishers less', { contentCategories: false, publishers: 6 }, ['INVALID_PARAMETER line_item_id']],
  ] as [string, Targeted, string[]][])('a line item that targets %s', (_, targeted, expected) => {
    expect(problems(targeted)).toEqual(expected);
  });

  it.each([
    ['category', []],
    ['another', ['INVALID_PARAMETER line_item_id']],
  ])('a line item that already has %s', (curatedCategoryId, expected) => {
    expect(
      problems({ contentCategories: false, publishers: 5 }, { curatedCategoryId } as Row<LineItemCuratedCategory>),
    ).toEqual(expected);
  });
});
