import type { EntityManager } from 'typeorm';
import { User } from '../../auth/credentials/user.entity.js';
import { exists } from '../../common/db/query/preconditions.js';
import { write, type Write } from '../../common/db/query/write.js';
import { Account } from '../entities/account.entity.js';

class UnknownParty extends Error {}

/** Stores if both the account and the user exist; otherwise stores nothing and returns false. */
export async function writeIfPartiesExist(
  db: EntityManager,
  { accountId, userId }: { accountId: string; userId: string },
  writes: Write[],
): Promise<boolean> {
  const unknown = () => new UnknownParty();
  try {
    await write(db, writes, [exists(Account, { id: accountId }, unknown), exists(User, { id: userId }, unknown)]);
    return true;
  } catch (error) {
    if (error instanceof UnknownParty) return false;
    throw error;
  }
}
