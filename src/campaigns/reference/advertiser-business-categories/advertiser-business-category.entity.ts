import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ReferenceRow } from '../reference-row.js';

/** What an advertiser deals in: line items of in-stream video name one or two. */
@Entity('advertiser_business_categories')
export class AdvertiserBusinessCategory extends ReferenceRow {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  @Column({ type: 'varchar' }) name: string;
  /** What `categories` of a line item says for it. */
  @Column({ type: 'varchar', array: true }) iabCategories: string[];
}
