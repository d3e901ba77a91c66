import { Column, Entity, PrimaryColumn } from 'typeorm';
import { countField, referenceId, referenceIds, referenceName } from '../reference-fields.js';
import { defineReference, ReferenceRow } from '../reference-kind.js';

/** A category of publishers' content, as advertisers target it. */
@Entity('content_categories')
export class ContentCategory extends ReferenceRow {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Column({ type: 'varchar' }) name: string;
  /** The targeting values of type IAB_CATEGORY for this category. */
  @Column({ type: 'varchar', array: true }) iabCategories: string[];
  @Column({ type: 'integer' }) publishersInLastThirtyDays: number;
  @Column({ type: 'integer' }) videosMonetizedInLastThirtyDays: number;
}

export const CONTENT_CATEGORIES = defineReference<ContentCategory>({
  name: 'content_categories',
  entity: ContentCategory,
  file: 'reference/content-categories.tsv',
  columns: [
    { name: 'id', property: 'id', kind: referenceId },
    { name: 'name', property: 'name', kind: referenceName },
    { name: 'iab_categories', property: 'iabCategories', kind: referenceIds },
    { name: 'publishers_in_last_thirty_days', property: 'publishersInLastThirtyDays', kind: countField },
    { name: 'videos_monetized_in_last_thirty_days', property: 'videosMonetizedInLastThirtyDays', kind: countField },
  ],
});
