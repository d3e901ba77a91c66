import { defineReference } from '../reference-kind.js';
import { readCount, readId, readIds, readName } from '../reference-readers.js';
import { ContentCategory } from './content-category.entity.js';

export const CONTENT_CATEGORIES = defineReference<ContentCategory>({
  name: 'content_categories',
  entity: ContentCategory,
  file: 'reference/content-categories.tsv',
  columns: [
    { name: 'id', property: 'id', read: readId },
    { name: 'name', property: 'name', read: readName },
    { name: 'iab_categories', property: 'iabCategories', read: readIds },
    { name: 'publishers_in_last_thirty_days', property: 'publishersInLastThirtyDays', read: readCount },
    { name: 'videos_monetized_in_last_thirty_days', property: 'videosMonetizedInLastThirtyDays', read: readCount },
  ],
});
