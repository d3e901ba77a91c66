import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { Page } from '../../common/http/answers/page.js';
import { Created } from '../../common/http/answers/results.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { notSettable } from '../campaigns.errors.js';
import { LINE_ITEMS, type LineItem } from '../entities/line-item.entity.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import { inStreamProblem } from '../shown-things.js';
import { PREROLL_CALL_TO_ACTIONS, type PrerollCallToAction } from './preroll-call-to-action.entity.js';
import type {
  CreatePrerollCallToAction,
  ListPrerollCallToActions,
  UpdatePrerollCallToAction,
} from './preroll-call-to-actions.dto.js';

type CallRow = Row<PrerollCallToAction>;

/** Lists, creates, updates and deletes the calls to action of in-stream videos. */
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

  /**
   * Creates a call to action for a line item that shows in-stream videos. Returns the existing one if the line item has
   * an equal one, and rejects another.
   */
  create(account: ActingAccount, request: Parsed<CreatePrerollCallToAction>): Promise<Created<CallRow>> {
    return this.resources.change(account, PREROLL_CALL_TO_ACTIONS, [request], async (unit) => {
      const lineItemId = request.value('line_item_id');
      const [item, attached] = await Promise.all([
        this.items.find(account, lineItemId, unit.db),
        this.items.findBelonging(account, PREROLL_CALL_TO_ACTIONS, { lineItemId }, unit.db),
      ]);
      const params = request.paramsUnless(problemsOfNew(request, account, item, attached));
      if (attached) return new Created(attached, false);
      const call = unit.create({
        accountId: account.id,
        lineItemId: params.line_item_id,
        callToAction: params.call_to_action,
        callToActionUrl: params.call_to_action_url,
      });
      return new Created(call, true);
    });
  }

  update(account: ActingAccount, id: string, request: Parsed<UpdatePrerollCallToAction>): Promise<CallRow> {
    return this.resources.changeLocked(account, PREROLL_CALL_TO_ACTIONS, [request], async (unit) => {
      const { lineItemId } = await unit.lockOne(id, { narrow: (calls) => this.items.ofShown(account, calls) });
      // The call to action cannot move to another line item. The current id is accepted.
      const sent = request.value('line_item_id');
      const isMoved = sent !== undefined && sent !== lineItemId;
      const params = request.paramsUnless(isMoved ? [notSettable('line_item_id', sent)] : []);
      return unit.update(id, { callToAction: params.call_to_action, callToActionUrl: params.call_to_action_url });
    });
  }

  delete(account: ActingAccount, id: string): Promise<CallRow> {
    return this.items.deleteBelonging(account, PREROLL_CALL_TO_ACTIONS, id);
  }
}

/** Problems of a new call to action. `attached`: the one that the line item already has. */
function problemsOfNew(
  request: Parsed<CreatePrerollCallToAction>,
  account: ActingAccount,
  item: Row<LineItem> | undefined,
  attached: CallRow | undefined,
): ApiError[] {
  const lineItemId = request.value('line_item_id');
  if (lineItemId === undefined) return [];
  if (!item) return [LINE_ITEMS.notFoundError(account)(lineItemId)];
  const unfit = inStreamProblem(item, 'a preroll call to action');
  if (unfit) return [unfit];
  const sent = request.known('call_to_action', 'call_to_action_url');
  if (!attached || !sent) return [];
  const isSame = attached.callToAction === sent.call_to_action && attached.callToActionUrl === sent.call_to_action_url;
  return isSame ? [] : [hasOneAlready(attached)];
}

const hasOneAlready = ({ id, lineItemId }: CallRow): ApiError =>
  invalid('line_item_id', `Line Item ${lineItemId} already has another preroll call to action`, {
    value: lineItemId,
    details: `change Preroll Call To Action ${id} with PUT, or delete it first`,
  });
