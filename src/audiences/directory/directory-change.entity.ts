import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/**
 * Identifiers that users of the directory got or lost by one round of an import: people who have one of them are matched
 * again. The last MOST_CHANGES are kept.
 */
@Entity('directory_changes')
export class DirectoryChange {
  @PrimaryGeneratedColumn('identity', { type: 'integer', primaryKeyConstraintName: 'directory_changes_key' })
  revision: number;
  /** Of each of the hashes. */
  @Column({ type: 'smallint', array: true }) kinds: number[];
  @Column({ type: 'bytea', array: true }) hashes: Buffer[];
}
