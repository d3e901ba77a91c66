import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ReferenceRow } from '../reference-row.js';

/** A content category of OpenRTB 2, such as IAB1 or IAB1-7. */
@Entity('iab_categories')
export class IabCategory extends ReferenceRow {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  /** Null in the first tier. */
  @Column({ type: 'varchar', collation: 'C', nullable: true }) parentId: string | null;
  @Column({ type: 'varchar' }) name: string;
}
