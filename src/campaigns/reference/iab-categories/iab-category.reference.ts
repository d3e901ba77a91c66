import { defineReference } from '../reference-kind.js';
import { referenceId, referenceName } from '../reference-fields.js';
import { IabCategory } from './iab-category.entity.js';

export const IAB_CATEGORIES = defineReference<IabCategory>({
  name: 'iab_categories',
  entity: IabCategory,
  file: 'reference/iab-categories.tsv',
  columns: [
    { name: 'id', property: 'id', kind: referenceId },
    { name: 'parent_id', property: 'parentId', kind: referenceId, nullable: true },
    { name: 'name', property: 'name', kind: referenceName },
  ],
});
