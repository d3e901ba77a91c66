import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { page } from '../../common/list/page.js';
import { DO_NOT_REACH_LISTS } from '../entities/do-not-reach-list.entity.js';
import type { CreateDoNotReachList, ListDoNotReachLists } from './do-not-reach-lists.dto.js';

@Injectable()
export class DoNotReachListsService {
  constructor(private readonly resources: Resources) {}

  list(account: ActingAccount, query: ListDoNotReachLists) {
    return page(this.resources.of(account, DO_NOT_REACH_LISTS), query);
  }

  create(account: ActingAccount, { description }: CreateDoNotReachList) {
    return this.resources.create(account, DO_NOT_REACH_LISTS, {
      accountId: account.id,
      description: description || null,
      reasonsNotTargetable: ['PROCESSING', 'TOO_SMALL'],
      listSize: null,
    });
  }

  delete(account: ActingAccount, id: string) {
    return this.resources.delete(account, DO_NOT_REACH_LISTS, id);
  }
}
