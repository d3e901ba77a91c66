import { defineReference } from '../reference-kind.js';
import { readId, readIds, readName } from '../reference-readers.js';
import { AdvertiserBusinessCategory } from './advertiser-business-category.entity.js';

export const ADVERTISER_BUSINESS_CATEGORIES = defineReference<AdvertiserBusinessCategory>({
  name: 'advertiser_business_categories',
  entity: AdvertiserBusinessCategory,
  file: 'reference/advertiser-business-categories.tsv',
  columns: [
    { name: 'id', property: 'id', read: readId },
    { name: 'name', property: 'name', read: readName },
    { name: 'iab_categories', property: 'iabCategories', read: readIds },
  ],
});
