import { Example } from '../../common/http/params/dto-metadata.js';
import { DecimalId, Id, Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { PromotedAccount } from './promoted-account.entity.js';

export class ListPromotedAccounts extends ListQuery(PromotedAccount, {
  sortable: ['created_at', 'updated_at', 'deleted', 'paused'],
}) {
  /** Filters by line item ids. At least one of them must be a line item for accounts. */
  @Ids() line_item_ids?: string[];
  /** Filters by promoted account ids. */
  @Ids() promoted_account_ids?: string[];
}

@Example({ line_item_id: '{followers_line_item_id}', user_id: '{user_id}' })
export class CreatePromotedAccount {
  /** The line item that promotes the user. Its `product_type` must be PROMOTED_ACCOUNT. */
  @Id() line_item_id: string;
  /** A promotable user of the account. */
  @DecimalId() user_id: string;
}
