import { Column } from 'typeorm';

/** The column that every row of reference data has: its position in the list, from 0. */
export abstract class ReferenceRow {
  @Column({ type: 'integer' }) position: number;
}
