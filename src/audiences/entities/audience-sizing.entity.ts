import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { ActorId, InSnapshots, LONG_AGO, RefersTo, SpecialReference } from '../../common/entity/snapshots.js';

/** Entities with uploaded people and a size. */
const SIZED = closedSet('Sized', ['CUSTOM_AUDIENCE', 'DO_NOT_REACH_LIST']);
export type Sized = (typeof SIZED)[number];

/** When the people of an audience or do-not-reach list are counted next. Its lock orders the uploads. */
@Entity('audience_sizings')
@InSnapshots({
  // its index is by audience
  owner: 'audienceId',
  // nobody counts the restored people yet
  restored: { generation: 'next', countedUntil: null },
  // the time of the next count is that at which a matched person joins or leaves
  withheld: { matchedTo: () => null, dueAt: () => LONG_AGO, waitingSince: () => null, countedUntil: () => null },
})
@Index('audience_sizings_made_of', { synchronize: false })
@Index('audience_sizings_due', ['dueAt'], { where: '"dueAt" IS NOT NULL' })
export class AudienceSizing {
  @PrimaryColumn({ type: 'varchar', collation: 'C' })
  @RefersTo(['custom_audiences', 'do_not_reach_lists'])
  audienceId: string;
  @WordColumn(SIZED) kind: Sized;
  /** The account that owns the audience or list. */
  @IdColumn() accountId: string;
  /** The last uploader, in whose name the size changes. */
  @IdColumn() @ActorId() userId: string;
  /** Null if no known event will change the size. */
  @TimestampColumn({ nullable: true }) dueAt: Date | null;
  /** The first upload that is not counted yet. */
  @TimestampColumn({ nullable: true }) waitingSince: Date | null;
  /** Each upload increments it. If an upload follows the start of a count, another count is due. */
  @Column({ type: 'integer' }) generation: number;
  /** A worker counts until this time. */
  @TimestampColumn({ nullable: true }) countedUntil: Date | null;
  /** The audiences that compose a flexible one. Counting them also counts the flexible audience. */
  @Column({ type: 'varchar', array: true, nullable: true })
  @SpecialReference('an import computes it from the segments of the audience')
  madeOf: string[] | null;
  /**
   * The DirectoryChange to which its people are matched; 0 before the first, null if they must be matched from scratch.
   */
  @Column({ type: 'integer', nullable: true }) matchedTo: number | null;
}
