import { ApiProperty } from '@nestjs/swagger';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ID, ResourceView, Unescaped, presentResource } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import { ENTITY_STATUSES, type EntityStatus } from '../entities/campaign.entity.js';
import { APPROVAL_STATUSES, statusOfShown, type ApprovalStatus } from '../shown-things.js';
import { PROMOTED_ACCOUNTS, PromotedAccount } from './promoted-account.entity.js';

export class PromotedAccountView extends ResourceView {
  /** The line item that promotes the user. */
  @ApiProperty(ID) @Unescaped() line_item_id: string;
  /** The promoted user. */
  @ApiProperty(DECIMAL_ID) @Unescaped() user_id: string;
  /** Whether the user is promoted while the line item serves. */
  @ApiProperty(enumSchema(ENTITY_STATUSES)) @Unescaped() entity_status: EntityStatus;
  /** The approval status. */
  @ApiProperty(enumSchema(APPROVAL_STATUSES)) @Unescaped() approval_status: ApprovalStatus;
}

export const presentPromotedAccount = (promoted: Row<PromotedAccount>): PromotedAccountView =>
  presentResource(promoted, {
    line_item_id: promoted.lineItemId,
    user_id: promoted.userId,
    entity_status: statusOfShown(promoted),
    approval_status: promoted.approvalStatus,
  });

recordAs(PROMOTED_ACCOUNTS, presentPromotedAccount);
