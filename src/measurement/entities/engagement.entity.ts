import { Column, Entity, Index } from 'typeorm';
import { IdColumn, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { NotInSnapshots } from '../../common/entity/snapshots.js';
import { FACT_PLACEMENTS, PROMOTED_KINDS, type FactPlacement, type PromotedKind } from './conversion-fact.entity.js';

/** How long engagements are kept, in days: the longest window after the oldest conversion that is accepted. */
export const ENGAGEMENT_DAYS = 120;

/**
 * A click of a user on what a line item shows, or a view of it. The id has the time of the service; the account may follow a
 * test clock. The columns about the line item are as they were at that time.
 */
@Entity('engagements')
@NotInSnapshots('engagements are of people, whatever state the account has')
@Index('engagements_of_user', ['userId', 'accountId', 'isClick', 'at'])
@Index('engagements_by_id', ['id'])
@Index('engagements_twclid', ['accountId', 'twclidHash'], { unique: true, where: '"twclidHash" IS NOT NULL' })
@Index('engagements_visitor', ['accountId', 'visitorHash', 'at'], { where: '"visitorHash" IS NOT NULL' })
export class Engagement {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn({ primary: true }) id: string;
  @IdColumn() userId: string;
  @TimestampColumn() at: Date;
  /** False for a view. */
  @Column({ type: 'boolean' }) isClick: boolean;
  @IdColumn() lineItemId: string;
  @WordColumn(FACT_PLACEMENTS) placement: FactPlacement;
  /** The promoted post, the promoted account or the media creative. */
  @IdColumn() promotedId: string;
  @WordColumn(PROMOTED_KINDS) promotedKind: PromotedKind;
  /** The audience that the line item targeted; empty if it is unknown. */
  @IdColumn() audienceId: string;
  @Column({ type: 'varchar' }) currency: string;
  /** Whether the goal of the line item is on a website. */
  @Column({ type: 'boolean' }) isForWebsite: boolean;
  /** The primary web event tag of the line item. */
  @IdColumn({ nullable: true }) tagId: string | null;
  /** The id that a click appends to the landing page; null for views. */
  @Column({ type: 'varchar', nullable: true }) twclid: string | null;
  /** Its SHA-256, by which a conversion finds it. */
  @Column({ type: 'bytea', nullable: true }) twclidHash: Buffer | null;
  /** The SHA-256 of the address and the agent of the user, if a test names them. See `visitorHash`. */
  @Column({ type: 'bytea', nullable: true }) visitorHash: Buffer | null;
}
