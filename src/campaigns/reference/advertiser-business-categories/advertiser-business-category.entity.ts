import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ReferenceRow } from '../reference-row.js';

/** The line of business of an advertiser. Line items of in-stream video name one or two. */
@Entity('advertiser_business_categories')
export class AdvertiserBusinessCategory extends ReferenceRow {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Column({ type: 'varchar' }) name: string;
  /** The values for `categories` of a line item. */
  @Column({ type: 'varchar', array: true }) iabCategories: string[];
}
