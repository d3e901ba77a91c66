import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { defineWrite } from '../../accounts/resources/define-write.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Made } from '../../common/http/answers/made.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { type Page } from '../../common/http/answers/page.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { notSettable } from '../campaigns.errors.js';
import { LINE_ITEMS } from '../line-items/line-item.resource.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import type { PrerollCallToAction } from './preroll-call-to-action.entity.js';
import { PREROLL_CALL_TO_ACTIONS } from './preroll-call-to-action.resource.js';
import { inStreamProblem } from './preroll-call-to-action.rules.js';
import type {
  CreatePrerollCallToAction,
  ListPrerollCallToActions,
  UpdatePrerollCallToAction,
} from './preroll-call-to-actions.dto.js';

type CallRow = Row<PrerollCallToAction>;
type ChangePrerollCallToAction = UpdatePrerollCallToAction & { preroll_call_to_action_id: string };

/** The data that the rules of a new call to action need. */
interface Context {
  account: ActingAccount;
  item?: Row<LineItem>;
  /** The call to action that the line item already has. */
  attached?: CallRow;
}

@Injectable()
export class PrerollCallToActionsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
  ) {}

  list(account: ActingAccount, query: ListPrerollCallToActions): Promise<Page<CallRow>> {
    const calls = this.resources
      .of(account, PREROLL_CALL_TO_ACTIONS)
      .whereIn('id', query.preroll_call_to_action_ids)
      .whereIn('lineItemId', query.line_item_ids);
    return page(this.items.ofShown(account, calls, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<CallRow> {
    return this.items.getBelonging(account, PREROLL_CALL_TO_ACTIONS, id, query);
  }

  /** Creates a call to action for a line item that shows in-stream videos. */
  create(account: ActingAccount, request: Parsed<CreatePrerollCallToAction>): Promise<Made<CallRow>> {
    return this.resources.perform(account, this.creation, request);
  }

  update(account: ActingAccount, id: string, request: Parsed<UpdatePrerollCallToAction>): Promise<CallRow> {
    return this.resources.perform(account, this.change, request.with({ preroll_call_to_action_id: id }));
  }

  delete(account: ActingAccount, id: string): Promise<CallRow> {
    return this.items.deleteBelonging(account, PREROLL_CALL_TO_ACTIONS, id);
  }

  private readonly creation = defineWrite<PrerollCallToAction, CreatePrerollCallToAction, Context, Made<CallRow>>(
    PREROLL_CALL_TO_ACTIONS,
    {
      context: async ({ account, db }, [request]) => {
        const lineItemId = request.value('line_item_id');
        const [item, attached] = await Promise.all([
          this.items.find(account, lineItemId, db),
          this.items.findBelonging(account, PREROLL_CALL_TO_ACTIONS, { lineItemId }, db),
        ]);
        return { account, item, attached };
      },
      problems: problemsOfNew,
      apply: (unitOfWork, params, { account, attached }) => {
        if (attached) return new Made(attached, false);
        const call = unitOfWork.create({
          accountId: account.id,
          lineItemId: params.line_item_id,
          callToAction: params.call_to_action,
          callToActionUrl: params.call_to_action_url,
        });
        return new Made(call, true);
      },
    },
  );

  private readonly change = defineWrite<PrerollCallToAction, ChangePrerollCallToAction>(PREROLL_CALL_TO_ACTIONS, {
    target: 'preroll_call_to_action_id',
    narrow: (calls, account) => this.items.ofShown(account, calls),
    problems: (request, _, { lineItemId }) => {
      // The call to action cannot move to another line item. The current id is accepted.
      const sent = request.value('line_item_id');
      return sent === undefined || sent === lineItemId ? [] : [notSettable('line_item_id', sent)];
    },
    apply: (unitOfWork, params, _, { id }) =>
      unitOfWork.update(id, { callToAction: params.call_to_action, callToActionUrl: params.call_to_action_url }),
  });
}

function problemsOfNew(request: Parsed<CreatePrerollCallToAction>, { account, item, attached }: Context): ApiError[] {
  const lineItemId = request.value('line_item_id');
  if (lineItemId === undefined) return [];
  if (!item) return [LINE_ITEMS.notFoundError(account)(lineItemId)];
  const unfit = inStreamProblem(item, 'a preroll call to action');
  if (unfit) return [unfit];
  const said = request.known('call_to_action', 'call_to_action_url');
  if (!attached || !said) return [];
  const isSame = attached.callToAction === said.call_to_action && attached.callToActionUrl === said.call_to_action_url;
  return isSame ? [] : [hasOneAlready(attached)];
}

const hasOneAlready = ({ id, lineItemId }: CallRow): ApiError =>
  invalid('line_item_id', `Line Item ${lineItemId} already has another preroll call to action`, {
    value: lineItemId,
    details: `change Preroll Call To Action ${id} with PUT, or delete it first`,
  });
