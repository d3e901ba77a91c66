import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ReferenceRow } from '../reference-row.js';

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
