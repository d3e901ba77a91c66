import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AccountReader, ActingAccount } from '../../accounts/access/acting-account.js';
import { recordChanges } from '../../accounts/change-log/change-log.js';
import { rowsOfAccount } from '../../accounts/resources/resource-rows.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import type { NewColumns } from '../../accounts/resources/unit-of-work.js';
import { newRow } from '../../common/db/query/new-row.js';
import type { Row } from '../../common/db/query/rows.js';
import { insertOrIgnore, type Write } from '../../common/db/query/write.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import type { ListAccountMedia } from './account-media.dto.js';
import { ACCOUNT_MEDIA, AccountMedia, creativeTypeOf } from './account-media.entity.js';

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

/** Writes for a media item that joins a library: an account media item, if it qualifies and does not exist yet. */
export async function accountMediaOf(
  account: ActingAccount,
  { mediaKey, file, mediaCategory, width, height }: NewColumns<LibraryMedia>,
  now: Date,
  db: EntityManager,
): Promise<Write[]> {
  const creativeType = creativeTypeOf(mediaCategory, width, height);
  if (!creativeType) return [];
  if (await rowsOfAccount(db, account, ACCOUNT_MEDIA).where('mediaKey', mediaKey).getExists()) return [];
  const row: Row<AccountMedia> = { ...newRow(now), accountId: account.id, mediaKey, creativeType, file };
  const { name: entity, snapshot } = ACCOUNT_MEDIA;
  const change = { type: 'CREATE', entity, id: row.id, data: snapshot(row) } as const;
  return [insertOrIgnore(AccountMedia, [row]), recordChanges([change], account, now)];
}
