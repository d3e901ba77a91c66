import { Column, Entity, PrimaryColumn } from 'typeorm';
import { referenceId, referenceIds, referenceName } from '../reference-fields.js';
import { defineReference, ReferenceRow } from '../reference-kind.js';

/** The line of business of an advertiser. Line items of in-stream video name one or two. */
@Entity('advertiser_business_categories')
export class AdvertiserBusinessCategory extends ReferenceRow {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Column({ type: 'varchar' }) name: string;
  /** The values for `categories` of a line item. */
  @Column({ type: 'varchar', array: true }) iabCategories: string[];
}

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
