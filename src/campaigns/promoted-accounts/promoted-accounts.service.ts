import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Made } from '../../common/http/answers/made.js';
import type { Page } from '../../common/http/answers/page.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import type { PromotedAccount } from './promoted-account.entity.js';
import { PROMOTED_ACCOUNTS } from './promoted-account.resource.js';
import { noneTakesAccounts } from './promoted-account.rules.js';
import { PromotedAccountWrites } from './promoted-account.writes.js';
import type { CreatePromotedAccount, ListPromotedAccounts } from './promoted-accounts.dto.js';

type PromotedRow = Row<PromotedAccount>;

/** Lists, creates and deletes the promoted accounts of line items. */
@Injectable()
export class PromotedAccountsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly writes: PromotedAccountWrites,
  ) {}

  /** Rejects the request if none of the line items is for accounts. */
  async list(account: ActingAccount, query: ListPromotedAccounts): Promise<Page<PromotedRow>> {
    const { line_item_ids: ids } = query;
    const foreign = ids && noneTakesAccounts(ids, await this.items.productTypes(account, ids));
    if (foreign) throw foreign;
    const promoted = this.resources
      .of(account, PROMOTED_ACCOUNTS)
      .whereIn('id', query.promoted_account_ids)
      .whereIn('lineItemId', ids);
    return page(this.items.ofShown(account, promoted, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<PromotedRow> {
    return this.items.getBelonging(account, PROMOTED_ACCOUNTS, id, query);
  }

  /** Returns the existing promoted account unchanged if the line item already promotes the user. */
  create(account: ActingAccount, request: Parsed<CreatePromotedAccount>): Promise<Made<PromotedRow>> {
    return this.resources.perform(account, this.writes.create, request);
  }

  delete(account: ActingAccount, id: string): Promise<PromotedRow> {
    return this.items.deleteBelonging(account, PROMOTED_ACCOUNTS, id, 'ACCOUNT');
  }
}
