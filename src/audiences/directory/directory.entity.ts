import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
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

/** An identifier of a directory user, matched with advertisers' uploads. It belongs to one user. */
@Entity('directory_identifiers')
export class DirectoryIdentifier {
  /** The index of its kind in IDENTIFIER_KINDS. */
  @PrimaryColumn({ type: 'smallint' }) kind: number;
  /** The SHA-256 of the normalised value, 32 bytes. */
  @PrimaryColumn({ type: 'bytea' }) hash: Buffer;
  /** The number of its DirectoryUser. */
  @Index('directory_identifiers_of_user')
  @Column({ type: 'integer' })
  number: number;
}

/** An identifier of a deleted user whom the directory has forgotten and audiences may still have; kept until they were searched. */
@Entity('removed_identifiers')
export class RemovedIdentifier {
  /** The id in `users`. */
  @PrimaryColumn({ type: 'varchar', collation: 'C', primaryKeyConstraintName: 'removed_identifiers_key' })
  userId: string;
  /** The index of its kind in IDENTIFIER_KINDS. */
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'removed_identifiers_key' }) kind: number;
  /** The SHA-256 of the normalised value, 32 bytes. */
  @PrimaryColumn({ type: 'bytea', primaryKeyConstraintName: 'removed_identifiers_key' }) hash: Buffer;
}

/**
 * A DirectoryUser in the sample for estimates (docs/decisions/0022). It is a copy, so that the sampled users are stored
 * together and the indexes contain no others. The transaction that stores the user stores it too.
 */
@Entity('directory_sample')
@Index('directory_sample_key', ['key', 'number'])
@Index('directory_sample_traits', { synchronize: false })
@Index('directory_sample_follows', { synchronize: false })
export class DirectorySample {
  @PrimaryColumn({ type: 'integer' }) number: number;
  /** The `sampleKey` of the number. Users with the smallest keys are the sample. Text, because it has 64 bits. */
  @Column({ type: 'bigint' }) key: string;
  @Index('directory_sample_of_user')
  @IdColumn()
  userId: string;
  @TimestampColumn() activeAt: Date;
  @Column({ type: 'varchar', nullable: true }) country: string | null;
  @Column({ type: 'varchar', nullable: true }) language: string | null;
  @Column({ type: 'smallint', nullable: true }) gender: number | null;
  @Column({ type: 'smallint', nullable: true }) ageBucket: number | null;
  @Column({ type: 'smallint' }) platforms: number;
  @Column({ type: 'varchar', array: true }) traits: string[];
  @Column({ type: 'bigint', array: true }) follows: number[];
}
