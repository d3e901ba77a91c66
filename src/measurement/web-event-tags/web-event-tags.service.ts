import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { changedColumns, newColumns } from '../../common/db/query/field-columns.js';
import type { Parsed } from '../../common/http/params/parsed.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { visitAudience } from '../entities/web-audience.entity.js';
import { WEB_EVENT_TAGS, WebEventTag } from '../entities/web-event-tag.entity.js';
import {
  windowsProblem,
  type CreateWebEventTag,
  type ListWebEventTags,
  type UpdateWebEventTag,
} from './web-event-tags.dto.js';

@Injectable()
export class WebEventTagsService {
  constructor(private readonly resources: Resources) {}

  list(account: ActingAccount, query: ListWebEventTags) {
    return page(this.resources.of(account, WEB_EVENT_TAGS).whereIn('id', query.web_event_tag_ids), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery) {
    return one(this.resources.of(account, WEB_EVENT_TAGS), id, WEB_EVENT_TAGS.notFoundError(account), query);
  }

  /** The first tag of an account makes its pixel take conversions. */
  create(account: ActingAccount, params: CreateWebEventTag) {
    const columns = newColumns(WebEventTag, params, {
      accountId: account.id,
      lastTrackedAt: null,
      firstTrackedAt: null,
    });
    return this.resources.change(account, WEB_EVENT_TAGS, [], (unit) => {
      const tag = unit.create(columns);
      unit.addWrite(visitAudience(tag));
      return tag;
    });
  }

  /** The windows fit each other also if only one of them is sent. */
  update(account: ActingAccount, id: string, request: Parsed<UpdateWebEventTag>) {
    return this.resources.changeLocked(account, WEB_EVENT_TAGS, [request], async (unit) => {
      const before = await unit.lockOne(id);
      const sent = request.known('click_window', 'view_through_window');
      const problem =
        sent &&
        windowsProblem({
          click_window: sent.click_window ?? before.clickWindow,
          view_through_window: sent.view_through_window ?? before.viewThroughWindow,
        });
      const params = request.paramsUnless(problem ? [problem] : []);
      const tag = unit.update(id, changedColumns(WebEventTag, params, {}));
      unit.addWrite(visitAudience(tag, before));
      return tag;
    });
  }

  delete(account: ActingAccount, id: string) {
    return this.resources.changeLocked(account, WEB_EVENT_TAGS, [], async (unit) => {
      const before = await unit.lockOne(id, { mode: 'pessimistic_write' });
      unit.addWrite(visitAudience(before));
      return unit.delete(id);
    });
  }
}
