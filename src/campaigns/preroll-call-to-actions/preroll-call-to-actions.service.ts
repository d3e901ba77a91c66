import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row, Rows } from '../../common/db/query/rows.js';
import { refuseAny, type ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import { Made } from '../../common/http/made.js';
import { Parsed } from '../../common/http/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { type Page } from '../../common/http/page.js';
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

/** What is judged where a line item is to have one, and which it has. */
interface Judged {
  item?: Row<LineItem>;
  attached?: CallRow;
}

@Injectable()
export class PrerollCallToActionsService {
  constructor(
    private readonly resources: Resources,
    private readonly items: ParentLineItems,
  ) {}

  list(account: ActingAccount, query: ListPrerollCallToActions): Promise<Page<CallRow>> {
    const calls = this.of(account)
      .whereIn('id', query.preroll_call_to_action_ids)
      .whereIn('lineItemId', query.line_item_ids);
    return page(this.items.ofShown(account, calls, query), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery): Promise<CallRow> {
    const calls = this.items.ofShown(account, this.of(account), query);
    return one(calls, id, PREROLL_CALL_TO_ACTIONS.notFoundError(account), query);
  }

  /** One for a line item that shows in-stream videos. */
  create(account: ActingAccount, params: CreatePrerollCallToAction): Promise<Made<CallRow>> {
    return this.resources.edit(account, PREROLL_CALL_TO_ACTIONS, [], async (unitOfWork, db) => {
      const judged = await this.judged(account, params.line_item_id, db);
      refuseAny(problemsOfNew(account, Parsed.whole(params), judged));
      if (judged.attached) return new Made(judged.attached, false);
      const call = unitOfWork.create({
        accountId: account.id,
        lineItemId: params.line_item_id,
        callToAction: params.call_to_action,
        callToActionUrl: params.call_to_action_url,
      });
      return new Made(call, true);
    });
  }

  /** What is wrong with those parameters that could be read, where others could not. */
  async problemsOfNew(account: ActingAccount, parsed: Parsed<CreatePrerollCallToAction>): Promise<ApiError[]> {
    const id = parsed.known('line_item_id')?.line_item_id;
    return id === undefined ? [] : problemsOfNew(account, parsed, await this.judged(account, id));
  }

  update(account: ActingAccount, id: string, params: UpdatePrerollCallToAction): Promise<CallRow> {
    return this.resources.edit(
      account,
      PREROLL_CALL_TO_ACTIONS,
      (calls) => this.items.ofShown(account, calls.where('id', id)),
      (unitOfWork) => {
        refuseAny(problemsOfPatch(unitOfWork.find(id), Parsed.whole(params)));
        return unitOfWork.update(id, {
          callToAction: params.call_to_action,
          callToActionUrl: params.call_to_action_url,
        });
      },
    );
  }

  /** The same for an update, that there is no such call to action included. */
  async problemsOfPatch(
    account: ActingAccount,
    id: string,
    parsed: Parsed<UpdatePrerollCallToAction>,
  ): Promise<ApiError[]> {
    return problemsOfPatch(await this.get(account, id), parsed);
  }

  delete(account: ActingAccount, id: string): Promise<CallRow> {
    return this.items.deleteBelonging(account, PREROLL_CALL_TO_ACTIONS, id);
  }

  private async judged(account: ActingAccount, lineItemId: string, db?: EntityManager): Promise<Judged> {
    const [found, attached] = await Promise.all([
      this.items.byId(account, [lineItemId], db),
      this.of(account, db).where('lineItemId', lineItemId).getOne(),
    ]);
    return { item: found.get(lineItemId), attached };
  }

  private of(account: ActingAccount, db?: EntityManager): Rows<PrerollCallToAction> {
    return this.resources.of(account, PREROLL_CALL_TO_ACTIONS, db);
  }
}

function problemsOfNew(
  account: ActingAccount,
  parsed: Parsed<CreatePrerollCallToAction>,
  { item, attached }: Judged,
): ApiError[] {
  const named = parsed.known('line_item_id');
  if (!named) return [];
  if (!item) return [LINE_ITEMS.notFoundError(account)(named.line_item_id)];
  const unfit = inStreamProblem(item, 'a preroll call to action');
  if (unfit) return [unfit];
  const said = parsed.known('call_to_action', 'call_to_action_url');
  if (!attached || !said) return [];
  const isSame = attached.callToAction === said.call_to_action && attached.callToActionUrl === said.call_to_action_url;
  return isSame ? [] : [hasOneAlready(attached)];
}

const hasOneAlready = ({ id, lineItemId }: CallRow): ApiError =>
  invalid('line_item_id', `Line Item ${lineItemId} has another preroll call to action already`, {
    value: lineItemId,
    details: `PUT changes Preroll Call To Action ${id}, DELETE makes room for another`,
  });

/** It stays with its line item; the one that it has may be sent back. */
function problemsOfPatch({ lineItemId }: CallRow, parsed: Parsed<UpdatePrerollCallToAction>): ApiError[] {
  const sent = parsed.known('line_item_id')?.line_item_id;
  if (sent === undefined || sent === lineItemId) return [];
  return [notSettable('line_item_id', sent)];
}
