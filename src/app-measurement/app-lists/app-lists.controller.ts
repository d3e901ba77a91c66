import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { OneQuery } from '../../common/list/list-query.js';
import { MEASUREMENT_READ, MEASUREMENT_WRITE } from '../../measurement/measurement.permissions.js';
import { AppListItemView, AppListView, presentAppList, presentAppListItem } from './app-list.presenter.js';
import { CreateAppList, ListAppLists } from './app-lists.dto.js';
import { AppListsService } from './app-lists.service.js';

@AccountController('app_lists', {
  tag: 'App measurement',
  reads: MEASUREMENT_READ,
  writes: MEASUREMENT_WRITE,
  ofMeasurement: true,
})
export class AppListsController {
  constructor(private readonly lists: AppListsService) {}

  /** Lists the app lists of the account without their apps, with filters and pagination. */
  @Get()
  @ReturnsPage(AppListItemView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListAppLists) {
    return (await this.lists.list(account, query)).map(presentAppListItem);
  }

  /** Returns an app list with its apps. */
  @Get(':app_list_id')
  @Returns(AppListView)
  async get(@CurrentAccount() account: ActingAccount, @Param('app_list_id') id: string, @Params() query: OneQuery) {
    return presentAppList(await this.lists.get(account, id, query));
  }

  /** Creates an app list. */
  @Post()
  @Returns(AppListView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @Params() params: CreateAppList) {
    return presentAppList(await this.lists.create(account, params));
  }

  /** Deletes an app list permanently. Criteria that name it do not change. */
  @Delete(':app_list_id')
  @Returns(AppListView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('app_list_id') id: string) {
    return presentAppList(await this.lists.delete(account, id));
  }
}
