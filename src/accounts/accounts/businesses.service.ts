import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { rows, type Row } from '../../common/db/query/rows.js';
import { Clock } from '../../common/time/clock.js';
import { lockName } from '../../common/db/query/name-lock.js';
import { retrying } from '../../common/db/query/retry.js';
import { newId } from '../../common/entity/ids.js';
import { Business, type Account } from '../entities/account.entity.js';
import type { NamedAccount } from './account.presenter.js';

/** Several businesses have this name. Only an id identifies one of them. */
export class SeveralBusinesses extends Error {}

/** A text that is an id and not the name of a business: see newId. */
const LOOKS_LIKE_ID = /^(?=.*\d)[0-9a-z]{11,13}$/;

/** Creates and finds the businesses that accounts belong to. Operators do this; the API does not offer it. */
@Injectable()
export class BusinessesService {
  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
  ) {}

  create(name: string): Promise<Business> {
    return retrying(() => this.store(this.db.manager, name));
  }

  /** The business with this id or name. An unknown name creates a business; an unknown id returns undefined. */
  findOrCreate(idOrName: string): Promise<Business | undefined> {
    const findOrStore = async (tx: EntityManager) => {
      // Two concurrent calls with the same new name get the same business.
      await lockName(tx, `business ${idOrName}`);
      const where = [{ id: idOrName }, { name: idOrName }];
      const [found, another] = await tx.find(Business, { where, order: { id: 'ASC' }, take: 2 });
      if (another) throw new SeveralBusinesses(`several businesses have the name ${idOrName}; give the id of one`);
      if (found || LOOKS_LIKE_ID.test(idOrName)) return found;
      return this.store(tx, idOrName);
    };
    return retrying(() => this.db.transaction(findOrStore));
  }

  private async store(db: EntityManager, name: string): Promise<Business> {
    const now = this.clock.now();
    const business = db.create(Business, { id: newId(now), createdAt: now, updatedAt: now, name });
    await db.insert(Business, business);
    return business;
  }
}

/** Reads the names of the businesses that accounts belong to. */
@Injectable()
export class BusinessQueries {
  /** Reads the names of the businesses of all accounts at once and returns a lookup by account. */
  async naming(db: EntityManager, accounts: readonly Row<Account>[]): Promise<(account: Row<Account>) => NamedAccount> {
    const ids = [...new Set(accounts.flatMap((account) => account.businessId ?? []))];
    const found = ids.length === 0 ? [] : await rows(db, Business).withDeleted().whereIn('id', ids).getMany();
    const names = new Map(found.map(({ id, name }) => [id, name]));
    return (account) => ({ ...account, businessName: names.get(account.businessId ?? '') ?? null });
  }

  /** One account with the name of its business. */
  async named(db: EntityManager, account: Row<Account>): Promise<NamedAccount> {
    return (await this.naming(db, [account]))(account);
  }
}
