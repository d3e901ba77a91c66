import { Column, Entity, Index } from 'typeorm';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { APPROVAL_STATUSES, type ApprovalStatus } from '../shown-things.js';

/** The index that lets a line item promote each user only once. */
export const PROMOTED_USER_ONCE = 'promoted_accounts_once';

/** A user whom a line item recommends to follow. */
@Entity('promoted_accounts')
@Index('promoted_accounts_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(PROMOTED_USER_ONCE, ['accountId', 'lineItemId', 'userId'], { unique: true, where: '"deletedAt" IS NULL' })
export class PromotedAccount extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() lineItemId: string;
  @IdColumn() userId: string;
  @Column({ type: 'boolean', default: false }) paused: boolean;
  @WordColumn(APPROVAL_STATUSES) approvalStatus: ApprovalStatus;
}
