import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { recordOf } from '../../accounts/change-log/change-log.js';
import { rowsOfAccount } from '../../accounts/resources/resource-rows.js';
import type { NewFields } from '../../accounts/resources/unit-of-work.js';
import { newRow } from '../../common/db/query/new-row.js';
import type { Row } from '../../common/db/query/rows.js';
import { insertOrIgnore, type Write } from '../../common/db/query/write.js';
import type { LibraryMedia } from '../entities/library-media.entity.js';
import { ACCOUNT_MEDIA, AccountMedia } from './account-media.entity.js';
import { creativeTypeOf } from './account-media.rules.js';

/** Writes for a media item that joins a library: an account media item, if it qualifies and does not exist yet. */
export async function accountMediaOf(
  account: ActingAccount,
  { mediaKey, file, mediaCategory, width, height }: NewFields<LibraryMedia>,
  now: Date,
  db: EntityManager,
): Promise<Write[]> {
  const creativeType = creativeTypeOf(mediaCategory, width, height);
  if (!creativeType) return [];
  if (await rowsOfAccount(db, account, ACCOUNT_MEDIA).where('mediaKey', mediaKey).getExists()) return [];
  const row: Row<AccountMedia> = { ...newRow(now), accountId: account.id, mediaKey, creativeType, file };
  const { name: entity, snapshot } = ACCOUNT_MEDIA;
  const change = { type: 'CREATE', entity, id: row.id, data: snapshot(row) } as const;
  return [insertOrIgnore(AccountMedia, [row]), recordOf([change], account, now)];
}
