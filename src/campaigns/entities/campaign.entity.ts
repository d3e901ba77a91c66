import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { closedSet } from '../../common/values/closed-set.js';
import {
  IdColumn,
  KeptTimestampColumn,
  MicroColumn,
  NameIndex,
  TimestampColumn,
  WordColumn,
} from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, RefersTo, TextColumn } from '../../common/entity/snapshots.js';
import { tooManyCampaigns } from '../campaigns.errors.js';
import { CurrencyColumn } from '../money.js';
import { ACTIVE_CAMPAIGNS } from './active-campaigns.js';
import { OBJECTIVES, PRODUCT_TYPES, type Objective, type ProductType } from './line-item.tables.js';

export const BUDGET_OPTIMIZATIONS = closedSet('BudgetOptimization', ['CAMPAIGN', 'LINE_ITEM']);
export type BudgetOptimization = (typeof BUDGET_OPTIMIZATIONS)[number];

export const ENTITY_STATUSES = closedSet('EntityStatus', ['ACTIVE', 'DRAFT', 'PAUSED']);
export type EntityStatus = (typeof ENTITY_STATUSES)[number];

/** The statuses that an update can set. Nothing becomes a draft again. */
export const SETTABLE_STATUSES = closedSet('SettableStatus', ['ACTIVE', 'PAUSED']);

/**
 * A campaign. Its indexes besides the key serve the default order with and without deleted campaigns, the order of
 * changes for synchronization, case-insensitive names, and its funding.
 */
@Entity('campaigns')
@InSnapshots()
@Index('campaigns_live', ['accountId', 'id'], { where: `"deletedAt" IS NULL AND "entityStatus" <> 'DRAFT'` })
@Index(['accountId', 'updatedAt', 'id'])
@NameIndex('campaigns_name', ['accountId', 'name', 'id'])
@Index('campaigns_of_funding', ['accountId', 'fundingInstrumentId', 'id'])
export class Campaign extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('funding_instruments') fundingInstrumentId: string;
  @TextColumn() name: string;
  @CurrencyColumn() currency: string;
  @WordColumn(BUDGET_OPTIMIZATIONS) budgetOptimization: BudgetOptimization;
  @MicroColumn({ nullable: true }) dailyBudgetAmountLocalMicro: number | null;
  @MicroColumn({ nullable: true }) totalBudgetAmountLocalMicro: number | null;
  @MicroColumn({ default: 0 }) spentLocalMicro: number;
  /** Null if the line items have the budgets. */
  @Column({ type: 'boolean', nullable: true }) standardDelivery: boolean | null;
  @TextColumn({ nullable: true }) purchaseOrderNumber: string | null;
  @Column({ type: 'integer', nullable: true }) durationInDays: number | null;
  @Column({ type: 'integer', nullable: true }) frequencyCap: number | null;
  @WordColumn(ENTITY_STATUSES) entityStatus: EntityStatus;
  /** The common value of its line items; null without line items. */
  @WordColumn(OBJECTIVES, { nullable: true }) objective: Objective | null;
  @WordColumn(PRODUCT_TYPES, { nullable: true }) productType: ProductType | null;
  /** The flight of its line items, excluding drafts; null without any. */
  @TimestampColumn({ nullable: true }) startTime: Date | null;
  @TimestampColumn({ nullable: true }) endTime: Date | null;
  /** Has a line item with a creative. Which line items can serve is determined at read time. */
  @Column({ type: 'boolean', default: false }) complete: boolean;
  /**
   * The flight of one of its line items that is active and has creatives: as long as it lasts, no line item needs to be
   * read to know that one can serve. Null if none is known. Triggers of the table `line_items` forget it as soon as such
   * a line item changes.
   */
  @KeptTimestampColumn() protected servesFrom: Date | null;
  @KeptTimestampColumn() protected servesUntil: Date | null;
}

/** Deleting a campaign leaves its line items unchanged. */
export const CAMPAIGNS = defineResource<Campaign>({
  entity: Campaign,
  name: 'CAMPAIGN',
  label: 'Campaign',
  parameter: 'campaign_id',
  limits: [
    {
      kind: ACTIVE_CAMPAIGNS.kind,
      limit: ACTIVE_CAMPAIGNS.limit,
      ownerOf: ({ accountId }) => accountId,
      counts: ({ entityStatus, deletedAt }) => entityStatus === 'ACTIVE' && deletedAt === null,
      refusal: tooManyCampaigns,
    },
  ],
});
