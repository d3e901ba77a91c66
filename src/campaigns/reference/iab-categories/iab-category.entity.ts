import { Column, Entity, PrimaryColumn } from 'typeorm';
import { referenceId, referenceName } from '../reference-fields.js';
import { defineReference, ReferenceRow } from '../reference-kind.js';

/** A content category of OpenRTB 2, such as IAB1 or IAB1-7. */
@Entity('iab_categories')
export class IabCategory extends ReferenceRow {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) id: string;
  /** Null in the first tier. */
  @Column({ type: 'varchar', collation: 'C', nullable: true }) parentId: string | null;
  @Column({ type: 'varchar' }) name: string;
}

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
