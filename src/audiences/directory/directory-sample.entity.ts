import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

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
