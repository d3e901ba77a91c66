import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/**
 * A user of the platform, with what is known of them, to be counted and matched. Who is not in
 * the directory belongs to no audience by matching, and to no estimate.
 */
@Entity('directory_users')
@Index('directory_users_active', ['activeAt', 'number'])
@Index('directory_users_traits', { synchronize: false })
@Index('directory_users_follows', { synchronize: false })
export class DirectoryUser {
  /** By which identifiers name it: a quarter of the size of an id. */
  @PrimaryGeneratedColumn('identity', { type: 'integer' }) number: number;
  /** The id in `users`. */
  @Index('directory_users_of_user', { unique: true })
  @IdColumn()
  userId: string;
  /** When the platform last saw them; only who was active within ACTIVE_DAYS counts. */
  @TimestampColumn() activeAt: Date;
  /** ISO 3166-1 alpha-2. */
  @Column({ type: 'varchar', nullable: true }) country: string | null;
  /** BCP 47, mostly ISO 639-1. */
  @Column({ type: 'varchar', nullable: true }) language: string | null;
  /** The targeting value of GENDER: 1 male, 2 female. */
  @Column({ type: 'smallint', nullable: true }) gender: number | null;
  /** The place in AGE_BUCKETS. */
  @Column({ type: 'smallint', nullable: true }) ageBucket: number | null;
  /** A bit for each of PLATFORMS. */
  @Column({ type: 'smallint' }) platforms: number;
  /** What is known in any number (LIST_TRAITS), as `storedTrait` writes it. */
  @Column({ type: 'varchar', array: true }) traits: string[];
  /** The ids of the users that they follow, as numbers. */
  @Column({ type: 'bigint', array: true }) follows: number[];
}
