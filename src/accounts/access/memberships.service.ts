import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { User } from '../../auth/credentials/user.entity.js';
import { exists } from '../../common/db/query/preconditions.js';
import { Clock } from '../../common/time/clock.js';
import { insertOrUpdate, write, type Write } from '../../common/db/query/write.js';
import { Account } from '../entities/account.entity.js';
import { UserSettings } from '../entities/user-settings.entity.js';
import { AccountAccessService } from './account-access.service.js';
import { Membership } from './membership.entity.js';
import type { Role } from './roles.js';

/** Grants and revokes the roles of users on accounts. Operators do this; the API does not offer it. */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly access: AccountAccessService,
  ) {}

  /** The first administrator of an account; undefined if it has none. */
  async administrator(accountId: string): Promise<string | undefined> {
    const where = { accountId, role: 'ACCOUNT_ADMIN' as const };
    return (await this.db.manager.findOne(Membership, { where, order: { createdAt: 'ASC' } }))?.userId;
  }

  /** Gives a user a role on an account and replaces the previous one; false if the account or user does not exist. */
  async grant(accountId: string, userId: string, role: Role, postComposer = true): Promise<boolean> {
    const membership = { accountId, userId, role, postComposer, createdAt: this.clock.now().toISOString() };
    const granted = await writeIfPartiesExist(this.db.manager, membership, [
      insertOrUpdate(Membership, [membership], ['role', 'postComposer']),
    ]);
    await this.access.invalidate();
    return granted;
  }

  /** Removes a user's role on an account, and their settings there; false if they have none. */
  async revoke(accountId: string, userId: string): Promise<boolean> {
    const { affected } = await this.db.transaction(async (tx) => {
      const revoked = await tx.delete(Membership, { accountId, userId });
      await tx.delete(UserSettings, { accountId, userId });
      return revoked;
    });
    await this.access.invalidate();
    return affected === 1;
  }
}

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
