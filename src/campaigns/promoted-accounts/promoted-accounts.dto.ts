import { Example } from '../../common/http/params/example.js';
import { DecimalId, Id, Ids } from '../../common/http/params/fields.js';
import { ListQuery } from '../../common/list/list-query.js';
import { PromotedAccount } from './promoted-account.entity.js';

export class ListPromotedAccounts extends ListQuery(PromotedAccount, {
  sortable: ['created_at', 'updated_at', 'deleted', 'paused'],
}) {
  /** Only whom these line items promote; one of them at least has to be for accounts. */
  @Ids() line_item_ids?: string[];
  /** Only the promoted accounts with these ids. */
  @Ids() promoted_account_ids?: string[];
}

@Example({ line_item_id: '{followers_line_item_id}', user_id: '{user_id}' })
export class CreatePromotedAccount {
  /** The line item that is to promote the user; its `product_type` is PROMOTED_ACCOUNT. */
  @Id() line_item_id: string;
  /** A promotable user of the account. */
  @DecimalId() user_id: string;
}
