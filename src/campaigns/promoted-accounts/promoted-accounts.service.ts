import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import type { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { unknownReference } from '../../accounts/resource-definition.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import type { Row } from '../../common/db/query/rows.js';
import { definedErrors, type ApiError } from '../../common/errors/api-error.js';
import type { Page } from '../../common/http/answers/page.js';
import { Created } from '../../common/http/answers/results.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { notPromotable } from '../../creatives/creatives.errors.js';
import { incompatibleLineItem } from '../campaigns.errors.js';
import { LINE_ITEMS, type LineItem } from '../entities/line-item.entity.js';
import type { ProductType } from '../entities/line-item.tables.js';
import { lineItemIsHeld } from '../line-items/line-item-parents.statements.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { incrementCreatives } from '../statements/line-item.statements.js';
import { PROMOTED_ACCOUNTS, type PromotedAccount } from './promoted-account.entity.js';
import type { CreatePromotedAccount, ListPromotedAccounts } from './promoted-accounts.dto.js';

type PromotedRow = Row<PromotedAccount>;

/** The data that the rules of a new promoted account need. */
interface PromotionContext {
  account: ActingAccount;
  item?: Row<LineItem>;
  user?: Row<PromotableUser>;
  /** The existing promoted account, if the line item already promotes the user. */
  attached?: PromotedRow;
}

/** Lists, creates and deletes the promoted accounts of line items. */
@Injectable()
export class PromotedAccountsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
    private readonly users: PromotableUserCache,
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
  create(account: ActingAccount, request: Parsed<CreatePromotedAccount>): Promise<Created<PromotedRow>> {
    return this.resources.change(account, PROMOTED_ACCOUNTS, [request], async (unit) => {
      const context = await this.contextOf(unit, request);
      const params = request.paramsUnless(problemsOfNew(request, context));
      const { user, attached } = context;
      if (attached) return new Created(attached, false);
      const { line_item_id: lineItemId, user_id: userId } = params;
      unit.require(lineItemIsHeld({ accountId: account.id, lineItemId }), this.users.exist([user!]));
      unit.addWrite(...incrementCreatives(account.id, [{ lineItemId, by: 1 }]));
      const created = { accountId: account.id, lineItemId, userId, paused: false };
      return new Created(unit.create({ ...created, approvalStatus: 'ACCEPTED' }), true);
    });
  }

  delete(account: ActingAccount, id: string): Promise<PromotedRow> {
    return this.items.deleteBelonging(account, PROMOTED_ACCOUNTS, id, 'ACCOUNT');
  }

  private async contextOf(
    { account, db }: UnitOfWork<PromotedAccount>,
    request: Parsed<CreatePromotedAccount>,
  ): Promise<PromotionContext> {
    const lineItemId = request.value('line_item_id');
    const userId = request.value('user_id');
    const [item, user, attached] = await Promise.all([
      this.items.find(account, lineItemId, db),
      userId === undefined ? undefined : this.users.find(account, userId, db),
      this.items.findBelonging(account, PROMOTED_ACCOUNTS, { lineItemId, userId }, db),
    ]);
    return { account, item, user, attached };
  }
}

/** Problems of a new promoted account, as far as its parameters are readable. */
function problemsOfNew(
  request: Parsed<CreatePromotedAccount>,
  { account, item, user, attached }: PromotionContext,
): ApiError[] {
  const lineItemId = request.value('line_item_id');
  const userId = request.value('user_id');
  if (item && attached) return [];
  return [
    ...unknownReference(LINE_ITEMS, account, lineItemId, item),
    ...definedErrors(item && takesAccounts(item)),
    ...(userId !== undefined && !user ? [notPromotable('account', 'user_id', userId, account.id)] : []),
  ];
}

/** Whether a line item is configured for promoted accounts. */
const takesAccounts = ({ id, productType }: Pick<Row<LineItem>, 'id' | 'productType'>): ApiError | undefined =>
  productType === 'PROMOTED_ACCOUNT'
    ? undefined
    : incompatibleLineItem(
        `Line Item ${id} is not configured for promoted accounts`,
        id,
        `its product_type is ${productType}, not PROMOTED_ACCOUNT`,
      );

/** Rejects a list for existing line items of which none is configured for promoted accounts. */
const noneTakesAccounts = (ids: readonly string[], found: ReadonlySet<ProductType>): ApiError | undefined =>
  found.size === 0 || found.has('PROMOTED_ACCOUNT')
    ? undefined
    : incompatibleLineItem(
        'None of these line items is configured for promoted accounts',
        ids,
        `their product_type is ${[...found].sort().join(' or ')}, not PROMOTED_ACCOUNT`,
      );
