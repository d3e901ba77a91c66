import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { newColumns } from '../../common/db/query/field-columns.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { APP_LISTS, AppList } from './app-list.entity.js';
import type { CreateAppList, ListAppLists } from './app-lists.dto.js';

@Injectable()
export class AppListsService {
  constructor(private readonly resources: Resources) {}

  list(account: ActingAccount, query: ListAppLists) {
    return page(this.resources.of(account, APP_LISTS).whereIn('id', query.app_list_ids), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery) {
    return one(this.resources.of(account, APP_LISTS), id, APP_LISTS.notFoundError(account), query);
  }

  create(account: ActingAccount, params: CreateAppList) {
    return this.resources.create(account, APP_LISTS, newColumns(AppList, params, { accountId: account.id }));
  }

  delete(account: ActingAccount, id: string) {
    return this.resources.delete(account, APP_LISTS, id);
  }
}
