import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ReferenceRow } from '../reference-row.js';

/** What publishers show, as advertisers target it. */
@Entity('content_categories')
export class ContentCategory extends ReferenceRow {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Column({ type: 'varchar' }) name: string;
  /** What targeting of type IAB_CATEGORY says for it. */
  @Column({ type: 'varchar', array: true }) iabCategories: string[];
  @Column({ type: 'integer' }) publishersInLastThirtyDays: number;
  @Column({ type: 'integer' }) videosMonetizedInLastThirtyDays: number;
}
