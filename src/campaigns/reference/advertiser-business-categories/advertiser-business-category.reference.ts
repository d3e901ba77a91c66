import { defineReference } from '../reference-kind.js';
import { referenceId, referenceIds, referenceName } from '../reference-fields.js';
import { AdvertiserBusinessCategory } from './advertiser-business-category.entity.js';

export const ADVERTISER_BUSINESS_CATEGORIES = defineReference<AdvertiserBusinessCategory>({
  name: 'advertiser_business_categories',
  entity: AdvertiserBusinessCategory,
  file: 'reference/advertiser-business-categories.tsv',
  columns: [
    { name: 'id', property: 'id', kind: referenceId },
    { name: 'name', property: 'name', kind: referenceName },
    { name: 'iab_categories', property: 'iabCategories', kind: referenceIds },
  ],
});
