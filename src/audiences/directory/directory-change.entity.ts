import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/**
 * Identifiers that directory users gained or lost in one round of an import. People with any of them are matched again.
 * The last MAX_CHANGES rows are kept.
 */
@Entity('directory_changes')
export class DirectoryChange {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'directory_changes_key' })
  revision: number;
  /** The kind of each hash. */
  @Column({ type: 'smallint', array: true }) kinds: number[];
  @Column({ type: 'bytea', array: true }) hashes: Buffer[];
}
