import type { EntityManager } from 'typeorm';
import type { RowReader } from '../../common/db/query/freshness.js';
import type { TimeSource } from '../../common/time/frozen-time.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Account } from '../entities/account.entity.js';
import { canCompose, type Role } from './roles.js';

/**
 * An account and the user on whose behalf a request acts on it. Every service under an account takes it as its first
 * argument.
 */
export interface ActingAccount extends Row<Account>, TimeSource, RowReader {
  /** The database as the request sees it: the primary, or the transaction of the request. */
  db: EntityManager;
  userId: string;
  role: Role;
  postComposer: boolean;
  /** The date whose behavior of X the request gets; undefined for the specification, and without a request. */
  asOf?: string;
  /** Collects the ids of the changes that the request makes or tries to make; absent unless somebody asks for them. */
  changeIds?: string[];
}

/** An account as reads of its rows need it. */
export type AccountReader = Pick<ActingAccount, 'id' | 'db' | 'freshness'>;

/** Whether the user of a request may post in the name of a promotable user: their own name, or with POST_COMPOSER. */
export const mayComposeFor = (
  { userId, role, postComposer }: Pick<ActingAccount, 'userId' | 'role' | 'postComposer'>,
  promotableUserId: string,
): boolean => userId === promotableUserId || (postComposer && canCompose(role));
