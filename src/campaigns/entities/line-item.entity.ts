import { Column, Entity, Index } from 'typeorm';
import { closedSet } from '../../common/closed-set.js';
import { IdColumn, MicroColumn, TimestampColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import type { EntityStatus } from './campaign.entity.js';
import type { BidStrategy, Goal, Objective, PayBy, Placement, ProductType } from './line-item.tables.js';

export const AUDIENCE_EXPANSIONS = closedSet('AudienceExpansion', ['BROAD', 'DEFINED', 'EXPANDED']);
export type AudienceExpansion = (typeof AUDIENCE_EXPANSIONS)[number];

export const CREATIVE_SOURCES = closedSet('CreativeSource', ['MANUAL']);
export type CreativeSource = (typeof CREATIVE_SOURCES)[number];

/**
 * A line item: what is bought within a campaign, and for whom. Indexes beside its key: the default order with
 * and without what lists leave out, the order of changes, names without case, its campaign, its funding, and those that
 * count as active, by their end.
 */
@Entity('line_items')
@Index(['accountId', 'id'])
@Index('line_items_live', ['accountId', 'id'], {
  where: `"deletedAt" IS NULL AND NOT "campaignDeleted" AND "entityStatus" <> 'DRAFT'`,
})
@Index(['accountId', 'updatedAt', 'id'])
@Index('line_items_name', { synchronize: false })
@Index(['campaignId', 'id'])
@Index(['fundingInstrumentId', 'id'])
@Index('line_items_active', ['accountId', 'endTime'], { where: 'counted' })
export class LineItem extends Resource {
  @IdColumn() accountId: string;
  @IdColumn() campaignId: string;
  /** That of its campaign, which never changes. */
  @IdColumn() fundingInstrumentId: string;
  @Column({ type: 'varchar' }) currency: string;
  @Column({ type: 'varchar', nullable: true }) name: string | null;
  @Column({ type: 'varchar' }) productType: ProductType;
  @Column({ type: 'varchar' }) objective: Objective;
  @Column({ type: 'varchar' }) goal: Goal;
  @Column({ type: 'varchar', array: true }) placements: Placement[];
  /** Ids of IAB categories. */
  @Column({ type: 'varchar', array: true }) categories: string[];
  @Column({ type: 'varchar' }) bidStrategy: BidStrategy;
  /** Null where the bid is found by itself. */
  @MicroColumn({ nullable: true }) bidAmountLocalMicro: number | null;
  @Column({ type: 'varchar' }) payBy: PayBy;
  @TimestampColumn() startTime: Date;
  @TimestampColumn() endTime: Date;
  @Column({ type: 'integer', nullable: true }) durationInDays: number | null;
  @Column({ type: 'integer', nullable: true }) frequencyCap: number | null;
  /** Counts only where line items have the budgets. */
  @Column({ type: 'boolean', nullable: true }) standardDelivery: boolean | null;
  @MicroColumn({ nullable: true }) dailyBudgetAmountLocalMicro: number | null;
  @MicroColumn({ nullable: true }) totalBudgetAmountLocalMicro: number | null;
  @MicroColumn({ default: 0 }) spentLocalMicro: number;
  @IdColumn({ nullable: true }) advertiserUserId: string | null;
  @Column({ type: 'varchar', nullable: true }) advertiserDomain: string | null;
  @Column({ type: 'varchar', nullable: true }) primaryWebEventTag: string | null;
  @Column({ type: 'varchar', nullable: true }) androidAppStoreIdentifier: string | null;
  @Column({ type: 'varchar', nullable: true }) iosAppStoreIdentifier: string | null;
  @Column({ type: 'varchar', nullable: true }) audienceExpansion: AudienceExpansion | null;
  @Column({ type: 'varchar' }) creativeSource: CreativeSource;
  @Column({ type: 'varchar' }) entityStatus: EntityStatus;
  /** How many things it has to show: promoted posts and accounts, media creatives. */
  @Column({ type: 'integer', default: 0 }) creatives: number;
  /** Counts as active in its account; expiry is noticed when there is no room. */
  @Column({ type: 'boolean' }) counted: boolean;
  /** Its campaign was deleted: shown only where deleted ones are. */
  @Column({ type: 'boolean', default: false }) campaignDeleted: boolean;
}
