import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { OneQuery } from '../../common/list/list-query.js';
import { CAMPAIGNS_READ, CAMPAIGNS_WRITE } from '../campaigns.permissions.js';
import { LineItemAppView, presentLineItemApp } from './line-item-app.presenter.js';
import { CreateLineItemApp, ListLineItemApps } from './line-item-apps.dto.js';
import { LineItemAppsService } from './line-item-apps.service.js';

@AccountController('line_item_apps', { tag: 'Line items', reads: CAMPAIGNS_READ, writes: CAMPAIGNS_WRITE })
export class LineItemAppsController {
  constructor(private readonly apps: LineItemAppsService) {}

  /**
   * Lists the apps of line items, with filters and pagination. They are the fields `ios_app_store_identifier` and
   * `android_app_store_identifier` of the line items.
   */
  @Get()
  @ReturnsPage(LineItemAppView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListLineItemApps) {
    return (await this.apps.list(account, query)).map(presentLineItemApp);
  }

  /** Returns an app of a line item. */
  @Get(':line_item_app_id')
  @Returns(LineItemAppView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('line_item_app_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentLineItemApp(await this.apps.get(account, id, query));
  }

  /** Sets the app of a line item that has none for the operating system. */
  @Post()
  @Returns(LineItemAppView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @Params() params: CreateLineItemApp) {
    return presentLineItemApp(await this.apps.create(account, params));
  }

  /** Removes an app of a line item. An app objective needs at least one. */
  @Delete(':line_item_app_id')
  @Returns(LineItemAppView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('line_item_app_id') id: string) {
    return presentLineItemApp(await this.apps.delete(account, id));
  }
}
