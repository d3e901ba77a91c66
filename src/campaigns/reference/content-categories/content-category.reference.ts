import { defineReference } from '../reference-kind.js';
import { count, referenceId, referenceIds, referenceName } from '../reference-fields.js';
import { ContentCategory } from './content-category.entity.js';

export const CONTENT_CATEGORIES = defineReference<ContentCategory>({
  name: 'content_categories',
  entity: ContentCategory,
  file: 'reference/content-categories.tsv',
  columns: [
    { name: 'id', property: 'id', kind: referenceId },
    { name: 'name', property: 'name', kind: referenceName },
    { name: 'iab_categories', property: 'iabCategories', kind: referenceIds },
    { name: 'publishers_in_last_thirty_days', property: 'publishersInLastThirtyDays', kind: count },
    { name: 'videos_monetized_in_last_thirty_days', property: 'videosMonetizedInLastThirtyDays', kind: count },
  ],
});
