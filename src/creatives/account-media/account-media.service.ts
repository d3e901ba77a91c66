import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader, ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { Row } from '../../common/db/query/rows.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import type { ListAccountMedia } from './account-media.dto.js';
import { ACCOUNT_MEDIA, type AccountMedia } from './account-media.entity.js';

/** Lists, finds and deletes account media. */
@Injectable()
export class AccountMediaService {
  constructor(private readonly resources: Resources) {}

  list(account: ActingAccount, query: ListAccountMedia) {
    const media = this.of(account).whereIn('id', query.account_media_ids).whereIn('creativeType', query.creative_types);
    return page(media, query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery) {
    return one(this.of(account), id, ACCOUNT_MEDIA.notFoundError(account), query);
  }

  /** Finds one by id for rows that reference it; undefined if the account has none or it is deleted. */
  find(account: AccountReader, id: string, db?: EntityManager): Promise<Row<AccountMedia> | undefined> {
    return this.of(account, db).where('id', id).getOne();
  }

  delete(account: ActingAccount, id: string) {
    return this.resources.delete(account, ACCOUNT_MEDIA, id);
  }

  private of(account: AccountReader, db?: EntityManager) {
    return this.resources.of(account, ACCOUNT_MEDIA, db);
  }
}
