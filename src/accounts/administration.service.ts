import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../common/clock.js';
import { rows, type Row } from '../common/db/query/rows.js';
import { sqlStateOf } from '../common/db/query/sqlstate.js';
import { run } from '../common/db/query/statement.js';
import { insert, write, type Precondition } from '../common/db/query/write.js';
import { newId } from '../common/entity/ids.js';
import { AccountAccessService } from './access/account-access.service.js';
import type { Role } from './access/roles.js';
import { Account } from './accounts/account.entity.js';
import { Business } from './accounts/business.entity.js';
import type { Feature } from './features/features.js';
import { PromotableUser, type PromotableUserType } from './promotable-users/promotable-user.entity.js';

/** The account has such a promotable user already: this one, or another FULL one. */
export class AlreadyPromotable extends Error {}

/** Businesses may share a name; then only the id says which one is meant. */
export class SeveralBusinesses extends Error {}

/** What nobody would call a business: see newId. */
const LOOKS_LIKE_ID = /^(?=.*\d)[0-9a-z]{11,13}$/;

/** What operators do to accounts, in whatever environment they are: there is no API for it. */
@Injectable()
export class AdministrationService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly access: AccountAccessService,
  ) {}

  async account(id: string): Promise<Row<Account> | undefined> {
    const [account] = await run<Row<Account>>(this.db.manager, rows(this.db.manager, Account).is('id', id).statement());
    return account;
  }

  async createBusiness(name: string, db = this.db.manager): Promise<Row<Business>> {
    const now = this.clock.now();
    const time = now.toISOString();
    const business = { id: newId(now), name, createdAt: time, updatedAt: time, deletedAt: null };
    await write(db, [insert(Business, [business])]);
    return business;
  }

  /** The business of this id or name, made where none has the name; undefined for what can only be an unknown id. */
  business(idOrName: string): Promise<Row<Business> | undefined> {
    return this.db.transaction(async (tx) => {
      // Two who name a new business at the same time mean the same one.
      await run(tx, {
        text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
        values: [`business ${idOrName}`],
      });
      const called = rows(tx, Business).where`r.id = ${idOrName} OR r.name = ${idOrName}`;
      const [found, another] = await run<Row<Business>>(tx, called.statement(' ORDER BY r.id LIMIT 2'));
      if (another) throw new SeveralBusinesses(`several businesses are called ${idOrName}; name one by its id`);
      if (found || LOOKS_LIKE_ID.test(idOrName)) return found;
      return this.createBusiness(idOrName, tx);
    });
  }

  /** Gives a user a role on an account, in place of the one they had; false when there is no such account or user. */
  async grant(accountId: string, userId: string, role: Role, postComposer = true): Promise<boolean> {
    const granted = await run(this.db.manager, {
      text: `INSERT INTO account_memberships ("accountId", "userId", role, "postComposer", "createdAt")
        SELECT a.id, u.id, $3, $4::boolean, $5::timestamptz FROM accounts a, users u
        WHERE a.id = $1 AND a."deletedAt" IS NULL AND u.id = $2 AND u."deletedAt" IS NULL
        ON CONFLICT ("accountId", "userId") DO UPDATE SET role = EXCLUDED.role, "postComposer" = EXCLUDED."postComposer"
        RETURNING 1 AS granted`,
      values: [accountId, userId, role, postComposer, this.clock.now().toISOString()],
    });
    await this.access.invalidate();
    return granted.length > 0;
  }

  /** Takes a user off an account; false when they were not on it. */
  async revoke(accountId: string, userId: string): Promise<boolean> {
    const gone = await run(this.db.manager, {
      text: 'DELETE FROM account_memberships WHERE "accountId" = $1 AND "userId" = $2 RETURNING 1 AS gone',
      values: [accountId, userId],
    });
    await this.access.invalidate();
    return gone.length > 0;
  }

  /** How many campaigns of the account may be active (Part 3, 8: up to 8,000); what is active stays so. False without such an account. */
  async limitCampaigns(accountId: string, limit: number): Promise<boolean> {
    const changed = await run(this.db.manager, {
      text: `UPDATE account_counts SET "activeCampaignLimit" = $2 WHERE "accountId" = $1
        AND EXISTS (SELECT FROM accounts WHERE id = $1 AND "deletedAt" IS NULL) RETURNING 1 AS changed`,
      values: [accountId, limit],
    });
    return changed.length > 0;
  }

  /** Adds and takes away features; answers those the account has then. */
  async changeFeatures(
    accountId: string,
    { add = [], remove = [] }: { add?: Feature[]; remove?: Feature[] },
  ): Promise<string[] | undefined> {
    const [changed] = await run<{ features: string[] }>(this.db.manager, {
      text: `UPDATE accounts SET "updatedAt" = $4, features = ARRAY(
          SELECT DISTINCT key COLLATE "C" FROM unnest(features || $2::varchar[]) AS key WHERE NOT key = ANY($3::varchar[]) ORDER BY 1)
        WHERE id = $1 AND "deletedAt" IS NULL RETURNING features`,
      values: [accountId, add, remove, this.clock.now().toISOString()],
    });
    await this.access.invalidate();
    return changed?.features;
  }

  /** Lets an account promote a user's posts; undefined when there is no such account or user. */
  async addPromotableUser(
    accountId: string,
    userId: string,
    type: PromotableUserType,
  ): Promise<Row<PromotableUser> | undefined> {
    const now = this.clock.now();
    const time = now.toISOString();
    const user: Row<PromotableUser> = {
      id: newId(now),
      accountId,
      userId,
      promotableUserType: type,
      createdAt: time,
      updatedAt: time,
      deletedAt: null,
    };
    try {
      const known = await write(
        this.db.manager,
        [insert(PromotableUser, [user])],
        [exists('accounts', accountId), exists('users', userId)],
      );
      return known.every(Boolean) ? user : undefined;
    } catch (error) {
      const { code, constraint } = sqlStateOf(error);
      if (code !== '23505') throw error;
      throw new AlreadyPromotable(
        constraint === 'promotable_users_one_full'
          ? `account ${accountId} has a FULL promotable user already, and there can be one only; remove it first`
          : `this user is a promotable user of account ${accountId} already; remove them first to change the type`,
      );
    }
  }

  async removePromotableUser(accountId: string, userId: string): Promise<boolean> {
    const time = this.clock.now().toISOString();
    const gone = await run(this.db.manager, {
      text: `UPDATE promotable_users SET "deletedAt" = $3, "updatedAt" = $3 WHERE "accountId" = $1 AND "userId" = $2 AND "deletedAt" IS NULL RETURNING id`,
      values: [accountId, userId, time],
    });
    return gone.length > 0;
  }
}

/** The row is there and not deleted. */
const exists = (table: 'accounts' | 'users', id: string): Precondition => ({
  sql: (bind) => `SELECT 1 FROM ${table} WHERE id = ${bind(id)} AND "deletedAt" IS NULL`,
});
