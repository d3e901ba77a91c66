import type { Freshness } from '../../common/db/query/freshness.js';
import type { Timed } from '../../common/time/frozen-time.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Account } from '../entities/account.entity.js';
import { composes, type Role } from './roles.js';

/**
 * An account and the user on whose behalf a request acts on it. Every service under an account takes it as its first
 * argument.
 */
export interface ActingAccount extends Row<Account>, Timed {
  userId: string;
  role: Role;
  postComposer: boolean;
  /** What the answer of this request must contain if it comes from a read replica; absent when it needs the primary. */
  freshness?: Freshness;
  /** Collects the ids of the changes that the request makes or tries to make; absent unless somebody asks for them. */
  changeIds?: string[];
}

/** Whether the user of a request may post in the name of a promotable user: their own name, or with POST_COMPOSER. */
export const mayComposeFor = (
  { userId, role, postComposer }: Pick<ActingAccount, 'userId' | 'role' | 'postComposer'>,
  promotableUserId: string,
): boolean => userId === promotableUserId || (postComposer && composes(role));
