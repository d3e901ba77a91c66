import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { OneQuery } from '../../common/list/list-query.js';
import { MEASUREMENT_READ, MEASUREMENT_WRITE } from '../../measurement/measurement.permissions.js';
import { AppEventTagView, presentAppEventTag } from './app-event-tag.presenter.js';
import { CreateAppEventTag, ListAppEventTags } from './app-event-tags.dto.js';
import { AppEventTagsService } from './app-event-tags.service.js';

@AccountController('app_event_tags', {
  tag: 'App measurement',
  reads: MEASUREMENT_READ,
  writes: MEASUREMENT_WRITE,
  ofMeasurement: true,
})
export class AppEventTagsController {
  constructor(private readonly tags: AppEventTagsService) {}

  /** Lists the app event tags of the account, with filters and pagination. */
  @Get()
  @ReturnsPage(AppEventTagView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListAppEventTags) {
    return (await this.tags.list(account, query)).map(presentAppEventTag);
  }

  /** Returns an app event tag. */
  @Get(':app_event_tag_id')
  @Returns(AppEventTagView)
  async get(
    @CurrentAccount() account: ActingAccount,
    @Param('app_event_tag_id') id: string,
    @Params() query: OneQuery,
  ) {
    return presentAppEventTag(await this.tags.get(account, id, query));
  }

  /** Creates an app event tag. */
  @Post()
  @Returns(AppEventTagView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @Params() params: CreateAppEventTag) {
    return presentAppEventTag(await this.tags.create(account, params));
  }

  /** Deletes an app event tag permanently. */
  @Delete(':app_event_tag_id')
  @Returns(AppEventTagView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('app_event_tag_id') id: string) {
    return presentAppEventTag(await this.tags.delete(account, id));
  }
}
