import { ApiProperty } from '@nestjs/swagger';
import { present } from '../../common/http/answers/present.js';
import { recordAs } from '../../accounts/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ID, ResourceView, Unescaped } from '../../common/http/answers/responses.js';
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
  present(PromotedAccountView, promoted, {
    entity_status: statusOfShown(promoted),
  });

recordAs(PROMOTED_ACCOUNTS, PromotedAccountView, presentPromotedAccount);
