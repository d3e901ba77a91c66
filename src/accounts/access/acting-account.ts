import type { Row } from '../../common/db/query/rows.js';
import type { Account } from '../accounts/account.entity.js';
import type { Role } from './roles.js';

/** An account and on whose behalf a request acts on it: the first argument of every service under an account. */
export interface ActingAccount extends Row<Account> {
  userId: string;
  role: Role;
  postComposer: boolean;
}
