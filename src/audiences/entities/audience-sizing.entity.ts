import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn, TimestampColumn } from '../../common/entity/columns.js';

/** What has people uploaded to it, and a size. */
export const SIZED = closedSet('Sized', ['CUSTOM_AUDIENCE', 'DO_NOT_REACH_LIST']);
export type Sized = (typeof SIZED)[number];

/** When the people of an audience or a do-not-reach list are to be counted again. Its lock orders the uploads. */
@Entity('audience_sizings')
@Index('audience_sizings_made_of', { synchronize: false })
@Index('audience_sizings_due', ['dueAt'], { where: '"dueAt" IS NOT NULL' })
export class AudienceSizing {
  @PrimaryColumn({ type: 'varchar', collation: 'C' }) audienceId: string;
  @Column({ type: 'varchar' }) kind: Sized;
  /** Whose it is. */
  @IdColumn() accountId: string;
  /** Who uploaded last: in whose name the size changes. */
  @IdColumn() userId: string;
  /** Null where nothing that is known of will change the size. */
  @TimestampColumn({ nullable: true }) dueAt: Date | null;
  /** The first upload that is not counted yet. */
  @TimestampColumn({ nullable: true }) waitingSince: Date | null;
  /** Raised with each upload: a count that began before one is not the last. */
  @Column({ type: 'integer' }) generation: number;
  /** Until then somebody is counting. */
  @TimestampColumn({ nullable: true }) countedUntil: Date | null;
  /** The audiences that a flexible one is made of: when their people are counted, its own are, too. */
  @Column({ type: 'varchar', array: true, nullable: true }) madeOf: string[] | null;
  /** The DirectoryChange to which its people are matched, 0 for none yet; null where they have to be matched from scratch. */
  @Column({ type: 'integer', nullable: true }) matchedTo: number | null;
}
