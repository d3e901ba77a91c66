import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import { IdColumn, MicroColumn, NameIndex, TimestampColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, PromotedUserId, RefersTo, SpecialReference, TextColumn } from '../../common/entity/snapshots.js';
import { tooManyActiveLineItems, tooManyLineItems } from '../campaigns.errors.js';
import { CurrencyColumn } from '../money.js';
import { ENTITY_STATUSES, type EntityStatus } from './campaign.entity.js';
import { ACTIVE_LINE_ITEMS, LINE_ITEMS_OF_CAMPAIGN, releaseExpired } from './line-item-limits.statements.js';
import {
  BID_STRATEGIES,
  GOALS,
  OBJECTIVES,
  PAY_BYS,
  PLACEMENTS,
  PRODUCT_TYPES,
  type BidStrategy,
  type Goal,
  type Objective,
  type PayBy,
  type Placement,
  type ProductType,
} from './line-item.tables.js';

export const AUDIENCE_EXPANSIONS = closedSet('AudienceExpansion', ['BROAD', 'DEFINED', 'EXPANDED']);
export type AudienceExpansion = (typeof AUDIENCE_EXPANSIONS)[number];

export const CREATIVE_SOURCES = closedSet('CreativeSource', ['DYNAMIC_PRODUCT_CREATIVE', 'MANUAL']);
export type CreativeSource = (typeof CREATIVE_SOURCES)[number];

/**
 * A line item of a campaign: what it buys and for whom. Its indexes besides the key serve the default order with and
 * without the rows that lists exclude, the order of changes, case-insensitive names, its campaign, its funding, and the
 * active line items by end time.
 */
@Entity('line_items')
@InSnapshots()
@Index('line_items_live', ['accountId', 'id'], {
  where: `"deletedAt" IS NULL AND NOT "campaignDeleted" AND "entityStatus" <> 'DRAFT'`,
})
@Index(['accountId', 'updatedAt', 'id'])
@NameIndex('line_items_name', ['accountId', 'name', 'id'])
@Index(['campaignId', 'id'])
@Index('line_items_of_funding', ['accountId', 'fundingInstrumentId', 'id'])
@Index('line_items_active', ['accountId', 'endTime'], { where: 'counted' })
export class LineItem extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('campaigns') campaignId: string;
  /** The funding instrument of its campaign. It never changes. */
  @IdColumn() @RefersTo('funding_instruments') fundingInstrumentId: string;
  @CurrencyColumn() currency: string;
  @TextColumn({ nullable: true }) name: string | null;
  @WordColumn(PRODUCT_TYPES) productType: ProductType;
  @WordColumn(OBJECTIVES) objective: Objective;
  @WordColumn(GOALS) goal: Goal;
  @WordColumn(PLACEMENTS, { array: true }) placements: Placement[];
  /** Ids of IAB categories. */
  @Column({ type: 'varchar', array: true })
  @SpecialReference('an import compares them with the IAB categories')
  categories: string[];
  @WordColumn(BID_STRATEGIES) bidStrategy: BidStrategy;
  /** Null if bids are set automatically. */
  @MicroColumn({ nullable: true }) bidAmountLocalMicro: number | null;
  @WordColumn(PAY_BYS) payBy: PayBy;
  @TimestampColumn() startTime: Date;
  @TimestampColumn() endTime: Date;
  @Column({ type: 'integer', nullable: true }) durationInDays: number | null;
  @Column({ type: 'integer', nullable: true }) frequencyCap: number | null;
  /** Only used if the line items have the budgets. */
  @Column({ type: 'boolean', nullable: true }) standardDelivery: boolean | null;
  @MicroColumn({ nullable: true }) dailyBudgetAmountLocalMicro: number | null;
  @MicroColumn({ nullable: true }) totalBudgetAmountLocalMicro: number | null;
  @MicroColumn({ default: 0 }) spentLocalMicro: number;
  @IdColumn({ nullable: true }) @PromotedUserId() advertiserUserId: string | null;
  @TextColumn({ nullable: true }) advertiserDomain: string | null;
  @TextColumn({ nullable: true }) primaryWebEventTag: string | null;
  @TextColumn({ nullable: true }) androidAppStoreIdentifier: string | null;
  @TextColumn({ nullable: true }) iosAppStoreIdentifier: string | null;
  @WordColumn(AUDIENCE_EXPANSIONS, { nullable: true }) audienceExpansion: AudienceExpansion | null;
  @WordColumn(CREATIVE_SOURCES) creativeSource: CreativeSource;
  /** With a product set: a catalog of a user, not of the account. Either may be deleted. */
  @IdColumn({ nullable: true })
  @SpecialReference('an import keeps that of the user who imports, and no other one')
  catalogId: string | null;
  @IdColumn({ nullable: true })
  @SpecialReference('an import keeps a set of that catalog, and no other one')
  productSetId: string | null;
  @WordColumn(ENTITY_STATUSES) entityStatus: EntityStatus;
  /** Number of its creatives: promoted posts, promoted accounts and media creatives. */
  @Column({ type: 'integer', default: 0 }) creatives: number;
  /** Counts as active in its account. Expiry is applied when the limit is reached. */
  @Column({ type: 'boolean' }) counted: boolean;
  /** Its campaign is deleted. Only listed together with deleted line items. */
  @Column({ type: 'boolean', default: false }) campaignDeleted: boolean;
}

/** Deleting a line item leaves its promoted posts, targeting and other creatives unchanged. */
export const LINE_ITEMS = defineResource<LineItem>({
  entity: LineItem,
  name: 'LINE_ITEM',
  label: 'Line Item',
  parameter: 'line_item_id',
  limits: [
    {
      ...LINE_ITEMS_OF_CAMPAIGN,
      ownerOf: ({ campaignId }) => campaignId,
      counts: ({ deletedAt }) => deletedAt === null,
      refusal: tooManyLineItems,
    },
    {
      ...ACTIVE_LINE_ITEMS,
      ownerOf: ({ accountId }) => accountId,
      counts: ({ counted, deletedAt }) => counted && deletedAt === null,
      release: releaseExpired,
      refusal: tooManyActiveLineItems,
    },
  ],
});
