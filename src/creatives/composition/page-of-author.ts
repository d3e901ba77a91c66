import type { AccountReader } from '../../accounts/access/acting-account.js';
import type { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import type { PromotableUserCache } from '../../accounts/promotable-users/promotable-user-cache.service.js';
import type { Row } from '../../common/db/query/rows.js';
import { Page } from '../../common/http/answers/page.js';
import { invalidUserId } from '../creatives.errors.js';

/**
 * A page of the posts, drafts or scheduled posts on behalf of the requested promotable user, by default the FULL one.
 * Without a FULL promotable user it is empty.
 */
export async function pageOfAuthor<T>(
  users: PromotableUserCache,
  account: AccountReader,
  { user_id: userId, with_total_count }: { user_id?: string; with_total_count?: boolean },
  read: (user: Row<PromotableUser>) => Promise<Page<T>>,
): Promise<Page<T>> {
  const user = await users.find(account, userId);
  if (user) return read(user);
  if (userId !== undefined) throw invalidUserId('user_id', userId);
  return new Page([], null, with_total_count ? 0 : undefined);
}
