import { defineReference } from '../reference-kind.js';
import { readId, readIdOrNone, readName } from '../reference-readers.js';
import { IabCategory } from './iab-category.entity.js';

export const IAB_CATEGORIES = defineReference<IabCategory>({
  name: 'iab_categories',
  entity: IabCategory,
  file: 'reference/iab-categories.tsv',
  columns: [
    { name: 'id', property: 'id', read: readId },
    { name: 'parent_id', property: 'parentId', read: readIdOrNone },
    { name: 'name', property: 'name', read: readName },
  ],
});
