import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { PromotableUsersService } from '../../accounts/promotable-users/promotable-users.service.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import { Made } from '../../common/http/made.js';
import { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page, type Page } from '../../common/list/page.js';
import { notPromotable } from '../../creatives/creatives.errors.js';
import type { LineItem } from '../line-items/line-item.entity.js';
import { lineItemIsHeld } from '../line-items/line-item-parents.statements.js';
import { LINE_ITEMS } from '../line-items/line-item.resource.js';
import { incrementCreatives } from '../line-items/line-item.statements.js';
import { LineItemsService } from '../line-items/line-items.service.js';
import type { PromotedAccount } from './promoted-account.entity.js';
import { PROMOTED_ACCOUNTS } from './promoted-account.resource.js';
import { noneTakesAccounts, takesAccounts } from './promoted-account.rules.js';
import type { CreatePromotedAccount, ListPromotedAccounts } from './promoted-accounts.dto.js';

type PromotedRow = Row<PromotedAccount>;

/** What is judged where a user is to be promoted. */
interface Judged {
  item?: Row<LineItem>;
  user?: Row<PromotableUser>;
  /** They are promoted there already. */
  attached?: PromotedRow;
}

@Injectable()
export class PromotedAccountsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: LineItemsService,
    private readonly users: PromotableUsersService,
  ) {}

  /** Refused where the line items are all for something else. */
  async list(account: ActingAccount, query: ListPromotedAccounts): Promise<Page<PromotedRow>> {
    const { line_item_ids: ids } = query;
    const foreign = ids && noneTakesAccounts(ids, await this.items.productTypes(account, ids));
    if (foreign) throw foreign;
    const promoted = this.of(account).whereIn('id', query.promoted_account_ids).whereIn('lineItemId', ids);
    return page(this.items.ofShown(account, promoted, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<PromotedRow> {
    const promoted = this.items.ofShown(account, this.of(account), query);
    return one(promoted, id, PROMOTED_ACCOUNTS.notFoundError(account), query);
  }

  /** A user who is promoted there already is answered as they are. */
  create(account: ActingAccount, params: CreatePromotedAccount): Promise<Made<PromotedRow>> {
    const { line_item_id: lineItemId, user_id: userId } = params;
    return this.resources.edit(account, PROMOTED_ACCOUNTS, [], async (unitOfWork, db) => {
      const judged = await this.judged(account, params, db);
      refuseAny(problemsOf(account, Parsed.whole(params), judged));
      if (judged.attached) return new Made(judged.attached, false);
      unitOfWork.require(lineItemIsHeld({ accountId: account.id, lineItemId }), this.users.exist([judged.user!]));
      unitOfWork.addWrite(...incrementCreatives([{ lineItemId, by: 1 }]));
      const fields = { accountId: account.id, lineItemId, userId, paused: false, approvalStatus: 'ACCEPTED' as const };
      return new Made(unitOfWork.create(fields), true);
    });
  }

  /** What is wrong with those parameters that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreatePromotedAccount>): Promise<ApiError[]> {
    const named = { ...parsed.known('line_item_id'), ...parsed.known('user_id') };
    return problemsOf(account, parsed, await this.judged(account, named));
  }

  delete(account: ActingAccount, id: string): Promise<PromotedRow> {
    return this.items.deleteBelonging(account, PROMOTED_ACCOUNTS, id, 'ACCOUNT');
  }

  private async judged(
    account: ActingAccount,
    { line_item_id: lineItemId, user_id: userId }: Partial<CreatePromotedAccount>,
    db?: EntityManager,
  ): Promise<Judged> {
    const [found, user, attached] = await Promise.all([
      lineItemId === undefined ? undefined : this.items.byId(account, [lineItemId], db),
      userId === undefined ? undefined : this.users.find(account, userId, db),
      lineItemId === undefined || userId === undefined
        ? undefined
        : this.of(account, db).where('lineItemId', lineItemId).where('userId', userId).getOne(),
    ]);
    return { item: found?.get(lineItemId!), user, attached };
  }

  private of(account: { id: string }, db?: EntityManager): Rows<PromotedAccount> {
    return this.resources.of(account, PROMOTED_ACCOUNTS, db);
  }
}

/** What is wrong with a new one, as far as its parameters could be read. */
function problemsOf(
  account: { id: string },
  parsed: Parsed<CreatePromotedAccount>,
  { item, user, attached }: Judged,
): ApiError[] {
  const named = parsed.known('line_item_id');
  const asked = parsed.known('user_id');
  const unfit = item && takesAccounts(item);
  if (item && attached) return [];
  return [
    ...(named && !item ? [LINE_ITEMS.notFoundError(account)(named.line_item_id)] : []),
    ...(unfit ? [unfit] : []),
    ...(asked && !user ? [notPromotable('account', 'user_id', asked.user_id, account.id)] : []),
  ];
}
