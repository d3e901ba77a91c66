import { Column, Entity, PrimaryColumn } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { TimestampColumn } from '../../common/entity/columns.js';

/** Whose people count: everybody's, or those who are users of the directory (AUDIENCE_MATCHING). */
export const MATCHINGS = closedSet('Matching', ['ALL', 'DIRECTORY']);
export type Matching = (typeof MATCHINGS)[number];

/** For when the slices of an audience tell its people: whoever counts it stores them, whoever counts a tree reads them. */
@Entity('audience_snapshots')
export class AudienceSnapshot {
  @PrimaryColumn({ type: 'varchar', collation: 'C', primaryKeyConstraintName: 'audience_snapshots_key' })
  audienceId: string;
  /** Of the AudienceSizing, before its people were read: with the next upload it is out of date. */
  @Column({ type: 'integer' }) generation: number;
  @Column({ type: 'varchar' }) matching: Matching;
  /** To which DirectoryChange its people were matched; 0 where they do not have to be. */
  @Column({ type: 'integer' }) revision: number;
  /** From then on nobody has joined or left by the clock, */
  @TimestampColumn() at: Date;
  /** until somebody does; null where nobody will. */
  @TimestampColumn({ nullable: true }) until: Date | null;
}
