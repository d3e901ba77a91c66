import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { defineWrite } from '../../accounts/resources/define-write.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Made } from '../../common/http/answers/made.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import { notSettable } from '../campaigns.errors.js';
import type { LineItem } from '../entities/line-item.entity.js';
import { LINE_ITEMS } from '../line-items/line-item.resource.js';
import { ParentLineItems } from '../line-items/parent-line-items.service.js';
import type { PrerollCallToAction } from './preroll-call-to-action.entity.js';
import { PREROLL_CALL_TO_ACTIONS } from './preroll-call-to-action.resource.js';
import { inStreamProblem } from './preroll-call-to-action.rules.js';
import type { CreatePrerollCallToAction, UpdatePrerollCallToAction } from './preroll-call-to-actions.dto.js';

type CallRow = Row<PrerollCallToAction>;
type ChangePrerollCallToAction = UpdatePrerollCallToAction & { preroll_call_to_action_id: string };

/** The data that the rules of a new call to action need. */
interface Context {
  account: ActingAccount;
  item?: Row<LineItem>;
  /** The call to action that the line item already has. */
  attached?: CallRow;
}

/** Creates and updates the calls to action of in-stream videos. */
@Injectable()
export class PrerollCallToActionWrites {
  constructor(private readonly items: ParentLineItems) {}

  /** Returns the existing call to action if the line item has an equal one, and rejects another. */
  readonly create = defineWrite<PrerollCallToAction, CreatePrerollCallToAction, Context, Made<CallRow>>(
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

  readonly update = defineWrite<PrerollCallToAction, ChangePrerollCallToAction>(PREROLL_CALL_TO_ACTIONS, {
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
