import type { Row } from '../../common/db/query/rows.js';
import type { Account } from '../entities/account.entity.js';
import { composes, type Role } from './roles.js';

/** An account and on whose behalf a request acts on it: the first argument of every service under an account. */
export interface ActingAccount extends Row<Account> {
  userId: string;
  role: Role;
  postComposer: boolean;
}

/** Whether the user of a request may post in the name of a promotable user: themselves, or with POST_COMPOSER. */
export const mayComposeFor = (
  { userId, role, postComposer }: Pick<ActingAccount, 'userId' | 'role' | 'postComposer'>,
  promotableUserId: string,
): boolean => userId === promotableUserId || (postComposer && composes(role));
