import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import { defineWrite } from '../../accounts/resources/define-write.js';
import { unknownReference } from '../../accounts/resources/resource-definition.js';
import type { Row } from '../../common/db/query/rows.js';
import { presentProblems, type ApiError } from '../../common/errors/api-error.js';
import { Made } from '../../common/http/answers/made.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { notPromotable } from '../../creatives/creatives.errors.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { lineItemIsHeld } from '../line-items/line-item-parents.statements.js';
import { LINE_ITEMS } from '../line-items/line-item.resource.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { incrementCreatives } from '../statements/line-item.statements.js';
import type { PromotedAccount } from './promoted-account.entity.js';
import { PROMOTED_ACCOUNTS } from './promoted-account.resource.js';
import { takesAccounts } from './promoted-account.rules.js';
import type { CreatePromotedAccount } from './promoted-accounts.dto.js';

type PromotedRow = Row<PromotedAccount>;

/** The data that the rules of a new promoted account need. */
interface Context {
  account: ActingAccount;
  item?: Row<LineItem>;
  user?: Row<PromotableUser>;
  /** The existing promoted account, if the line item already promotes the user. */
  attached?: PromotedRow;
}

/** Promotes accounts with line items. */
@Injectable()
export class PromotedAccountWrites {
  constructor(
    private readonly items: ParentLineItems,
    private readonly users: PromotableUserCache,
  ) {}

  /** Returns the existing promoted account unchanged if the line item already promotes the user. */
  readonly create = defineWrite<PromotedAccount, CreatePromotedAccount, Context, Made<PromotedRow>>(PROMOTED_ACCOUNTS, {
    context: async ({ account, db }, [request]) => {
      const lineItemId = request.value('line_item_id');
      const userId = request.value('user_id');
      const [item, user, attached] = await Promise.all([
        this.items.find(account, lineItemId, db),
        userId === undefined ? undefined : this.users.find(account, userId, db),
        this.items.findBelonging(account, PROMOTED_ACCOUNTS, { lineItemId, userId }, db),
      ]);
      return { account, item, user, attached };
    },
    problems: problemsOfNew,
    apply: (unitOfWork, { line_item_id: lineItemId, user_id: userId }, { account, user, attached }) => {
      if (attached) return new Made(attached, false);
      unitOfWork.require(lineItemIsHeld({ accountId: account.id, lineItemId }), this.users.exist([user!]));
      unitOfWork.addWrite(...incrementCreatives(account.id, [{ lineItemId, by: 1 }]));
      const created = { accountId: account.id, lineItemId, userId, paused: false };
      return new Made(unitOfWork.create({ ...created, approvalStatus: 'ACCEPTED' }), true);
    },
  });
}

/** Problems of a new resource, as far as its parameters are readable. */
function problemsOfNew(request: Parsed<CreatePromotedAccount>, { account, item, user, attached }: Context): ApiError[] {
  const lineItemId = request.value('line_item_id');
  const userId = request.value('user_id');
  if (item && attached) return [];
  return [
    ...unknownReference(LINE_ITEMS, account, lineItemId, item),
    ...presentProblems(item && takesAccounts(item)),
    ...(userId !== undefined && !user ? [notPromotable('account', 'user_id', userId, account.id)] : []),
  ];
}
