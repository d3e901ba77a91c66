import { Column, Entity, Index } from 'typeorm';
import { defineResource } from '../../accounts/resource-definition.js';
import { IdColumn, WordColumn } from '../../common/entity/columns.js';
import { Resource } from '../../common/entity/resource.entity.js';
import { InSnapshots, PromotedUserId, RefersTo } from '../../common/entity/snapshots.js';
import { APPROVAL_STATUSES, type ApprovalStatus } from '../shown-things.js';

/** The index that lets a line item promote each user only once. */
const PROMOTED_USER_ONCE = 'promoted_accounts_once';

/** A user whom a line item recommends to follow. */
@Entity('promoted_accounts')
@InSnapshots()
@Index('promoted_accounts_live', ['accountId', 'id'], { where: '"deletedAt" IS NULL' })
@Index(['accountId', 'updatedAt', 'id'])
@Index(['lineItemId', 'id'])
@Index(PROMOTED_USER_ONCE, ['accountId', 'lineItemId', 'userId'], { unique: true, where: '"deletedAt" IS NULL' })
export class PromotedAccount extends Resource {
  @IdColumn({ primary: true }) accountId: string;
  @IdColumn() @RefersTo('line_items') lineItemId: string;
  @IdColumn() @PromotedUserId() userId: string;
  @Column({ type: 'boolean', default: false }) paused: boolean;
  @WordColumn(APPROVAL_STATUSES) approvalStatus: ApprovalStatus;
}

/** A line item promotes each user once. A concurrent second request finds the first row. */
export const PROMOTED_ACCOUNTS = defineResource<PromotedAccount>({
  entity: PromotedAccount,
  name: 'PROMOTED_ACCOUNT',
  label: 'Promoted Account',
  parameter: 'promoted_account_id',
  uniques: [{ index: PROMOTED_USER_ONCE, columns: ['lineItemId', 'userId'] }],
});
