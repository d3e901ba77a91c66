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
import type { PrerollCallToAction } from './preroll-call-to-action.entity.js';
import { PREROLL_CALL_TO_ACTIONS } from './preroll-call-to-action.resource.js';
import { PrerollCallToActionWrites } from './preroll-call-to-action.writes.js';
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
    private readonly writes: PrerollCallToActionWrites,
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
    return this.resources.perform(account, this.writes.create, request);
  }

  update(account: ActingAccount, id: string, request: Parsed<UpdatePrerollCallToAction>): Promise<CallRow> {
    return this.resources.perform(account, this.writes.update, request.with({ preroll_call_to_action_id: id }));
  }

  delete(account: ActingAccount, id: string): Promise<CallRow> {
    return this.items.deleteBelonging(account, PREROLL_CALL_TO_ACTIONS, id);
  }
}
