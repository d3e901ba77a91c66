import { Delete, Get, Param, Post } from '@nestjs/common';
import { AccountController, CurrentAccount } from '../../accounts/access/account-controller.js';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Params } from '../../common/http/params/params.js';
import { Returns, ReturnsPage } from '../../common/http/answers/returns.js';
import { AUDIENCES_READ, AUDIENCES_WRITE } from '../audiences.permissions.js';
import { DoNotReachListView, presentDoNotReachList } from './do-not-reach-list.presenter.js';
import { CreateDoNotReachList, ListDoNotReachLists } from './do-not-reach-lists.dto.js';
import { DoNotReachListsService } from './do-not-reach-lists.service.js';

@AccountController('do_not_reach_lists', { tag: 'Do-not-reach lists', reads: AUDIENCES_READ, writes: AUDIENCES_WRITE })
export class DoNotReachListsController {
  constructor(private readonly lists: DoNotReachListsService) {}

  /** Lists the account's list and its deleted predecessors. */
  @Get()
  @ReturnsPage(DoNotReachListView)
  async list(@CurrentAccount() account: ActingAccount, @Params() query: ListDoNotReachLists) {
    return (await this.lists.list(account, query)).map(presentDoNotReachList);
  }

  /** Creates the account's list without users. Users are uploaded afterwards. An account has at most one list. */
  @Post()
  @Returns(DoNotReachListView, { status: 201 })
  async create(@CurrentAccount() account: ActingAccount, @Params() params: CreateDoNotReachList) {
    return presentDoNotReachList(await this.lists.create(account, params));
  }

  /** Deletes the list permanently. Campaigns reach everyone again, and another list can be created. */
  @Delete(':do_not_reach_list_id')
  @Returns(DoNotReachListView)
  async delete(@CurrentAccount() account: ActingAccount, @Param('do_not_reach_list_id') id: string) {
    return presentDoNotReachList(await this.lists.delete(account, id));
  }
}
