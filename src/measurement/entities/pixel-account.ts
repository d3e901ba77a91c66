import type { EntityManager } from 'typeorm';
import type { Account } from '../../accounts/entities/account.entity.js';
import type { Row } from '../../common/db/query/rows.js';
import type { TimeSource } from '../../common/time/frozen-time.js';

/** The account whose pixel receives conversions. A user signed the request, or a server sent a token of the pixel. */
export interface PixelAccount extends Row<Account>, TimeSource {
  /** The database as the request sees it: the primary, or the transaction of the request. */
  db: EntityManager;
}
