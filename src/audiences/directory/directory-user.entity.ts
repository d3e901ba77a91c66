import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/**
 * A platform user with the data for counting and matching. Users outside the directory match no audience and no
 * estimate.
 */
@Entity('directory_users')
@Index('directory_users_active', ['activeAt', 'number'])
@Index('directory_users_traits', { synchronize: false })
@Index('directory_users_follows', { synchronize: false })
export class DirectoryUser {
  /** The number by which identifiers refer to the user: a quarter of the size of an id. */
  @PrimaryGeneratedColumn('identity', { type: 'integer' }) number: number;
  /** The id in `users`. */
  @Index('directory_users_of_user', { unique: true })
  @IdColumn()
  userId: string;
  /** When the platform last saw the user. Only users active within ACTIVE_DAYS count. */
  @TimestampColumn() activeAt: Date;
  /** ISO 3166-1 alpha-2. */
  @Column({ type: 'varchar', nullable: true }) country: string | null;
  /** BCP 47, mostly ISO 639-1. */
  @Column({ type: 'varchar', nullable: true }) language: string | null;
  /** The targeting value of GENDER: 1 male, 2 female. */
  @Column({ type: 'smallint', nullable: true }) gender: number | null;
  /** The index in AGE_BUCKETS. */
  @Column({ type: 'smallint', nullable: true }) ageBucket: number | null;
  /** One bit for each of PLATFORMS. */
  @Column({ type: 'smallint' }) platforms: number;
  /** The listed traits (LIST_TRAITS) in the format of `storedTrait`. */
  @Column({ type: 'varchar', array: true }) traits: string[];
  /** The numbers of the users that they follow. */
  @Column({ type: 'bigint', array: true }) follows: number[];
}
