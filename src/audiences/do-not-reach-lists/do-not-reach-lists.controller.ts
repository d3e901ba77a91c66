import { Body, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { AccountController, BatchController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params } from '../../common/http/params.js';
import { ReturnsBatch, ReturnsOne, ReturnsPage } from '../../common/http/responses.js';
import { AUDIENCES_READ, AUDIENCES_WRITE } from '../audiences.permissions.js';
import { DoNotReachListView, presentDoNotReachList } from './do-not-reach-list.presenter.js';
import { CreateDoNotReachList, ListDoNotReachLists } from './do-not-reach-lists.dto.js';
import { DO_NOT_REACH_OPERATIONS } from '../audience-users/do-not-reach-list-users.dto.js';
import { DoNotReachListUsersService } from '../audience-users/do-not-reach-list-users.service.js';
import { UploadCountsView } from '../audience-users/audience-users.presenter.js';
import { MAX_OPERATIONS, UPLOAD_SIZE } from '../audience-users/upload-size.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { TakesBatch } from '../../common/batch/takes-batch.js';
import { DoNotReachListsService } from './do-not-reach-lists.service.js';

@AccountController('do_not_reach_lists', { tag: 'Do-not-reach lists', reads: AUDIENCES_READ, writes: AUDIENCES_WRITE })
export class DoNotReachListsController {
  constructor(private readonly lists: DoNotReachListsService) {}

  /** The list of the account, and those it had before. */
  @Get()
  @ReturnsPage(DoNotReachListView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListDoNotReachLists) {
    return (await this.lists.list(account, query)).map(presentDoNotReachList);
  }

  /** Makes the list of the account without anybody on it; users are uploaded afterwards. An account has at most one. */
  @Post()
  @ReturnsOne(DoNotReachListView, 201)
  async create(@CurrentAccount() account: ActingAccount, @Params() params: CreateDoNotReachList) {
    return presentDoNotReachList(await this.lists.create(account, params));
  }

  /** Deletes the list for good: campaigns reach everybody again, and another list can be made. */
  @Delete(':do_not_reach_list_id')
  @ReturnsOne(DoNotReachListView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('do_not_reach_list_id') id: string) {
    return presentDoNotReachList(await this.lists.delete(account, id));
  }
}

@BatchController('do_not_reach_lists/:do_not_reach_list_id', {
  tag: 'Do-not-reach lists',
  reads: AUDIENCES_READ,
  writes: AUDIENCES_WRITE,
})
export class DoNotReachListUsersController {
  constructor(private readonly users: DoNotReachListUsersService) {}

  /** Puts users on the list and takes others from it, in the order of the operations, all or none. */
  @Post('users')
  @HttpCode(200)
  @Policy({ writeQuota: 'AUDIENCE_USERS' })
  @TakesBatch(DO_NOT_REACH_OPERATIONS, MAX_OPERATIONS, UPLOAD_SIZE)
  @ReturnsBatch(UploadCountsView)
  upload(
    @CurrentAccount() account: ActingAccount,
    @Param('do_not_reach_list_id') id: string,
    @Body() operations: unknown,
  ) {
    return this.users.upload(account, id, operations);
  }
}
