import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { rows } from '../../common/db/query/rows.js';
import { newColumns } from '../../common/db/query/field-columns.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { APP_EVENT_TAGS, AppEventTag } from './app-event-tag.entity.js';
import type { CreateAppEventTag, ListAppEventTags } from './app-event-tags.dto.js';

@Injectable()
export class AppEventTagsService {
  constructor(private readonly resources: Resources) {}

  list(account: ActingAccount, query: ListAppEventTags) {
    return page(this.resources.of(account, APP_EVENT_TAGS).whereIn('id', query.app_event_tag_ids), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery) {
    return one(this.resources.of(account, APP_EVENT_TAGS), id, APP_EVENT_TAGS.notFoundError(account), query);
  }

  /** Whether an account has a tag. */
  exist(db: EntityManager, accountId: string): Promise<boolean> {
    return rows(db, AppEventTag).where('accountId', accountId).getExists();
  }

  create(account: ActingAccount, params: CreateAppEventTag) {
    const columns = newColumns(AppEventTag, params, {
      accountId: account.id,
      postEngagementAttributionWindow: params.post_engagement_attribution_window ?? 30,
      postViewAttributionWindow: params.post_view_attribution_window ?? 1,
      retargetingEnabled: params.retargeting_enabled ?? true,
      lastTrackedAt: null,
    });
    return this.resources.create(account, APP_EVENT_TAGS, columns);
  }

  delete(account: ActingAccount, id: string) {
    return this.resources.delete(account, APP_EVENT_TAGS, id);
  }
}
