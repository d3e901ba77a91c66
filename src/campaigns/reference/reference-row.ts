import { Column } from 'typeorm';

/** What every row of reference data has beside its own columns: its place in the list, from 0. */
export abstract class ReferenceRow {
  @Column({ type: 'integer' }) position: number;
}
