import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { unchanged } from '../../common/db/query/preconditions.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { FUNDING_INSTRUMENTS, FundingInstrument } from './funding-instrument.entity.js';
import { isAbleToFund } from './funding-instrument.rules.js';

export type Funding = Row<FundingInstrument>;

const CHANNEL = 'funding';

/**
 * The funding instruments that campaigns need for every read and write. A statement that relies on this cache checks
 * the funding again.
 */
@Injectable()
export class FundingCache {
  private readonly known: SharedCache<Funding>;

  constructor(
    private readonly resources: Resources,
    notifications: DatabaseNotifications,
  ) {
    this.known = new SharedCache(notifications, CHANNEL, { max: 20_000 });
  }

  /** Funding instruments of the account with these ids, including deleted ones. Uses the cache where possible. */
  async byId(account: ActingAccount, ids: Iterable<string>, db?: EntityManager): Promise<Map<string, Funding>> {
    const found = new Map<string, Funding>();
    const unknown: string[] = [];
    for (const id of new Set(ids)) {
      const funding = this.known.get(id);
      if (!funding) unknown.push(id);
      else if (funding.accountId === account.id) found.set(id, funding);
    }
    if (unknown.length === 0) return found;
    const keep = this.known.beginRead();
    const stored = this.resources.of(account, FUNDING_INSTRUMENTS, db).withDeleted().whereIn('id', unknown);
    for (const funding of await stored.getMany()) {
      found.set(funding.id, funding);
      keep(funding.id, funding);
    }
    return found;
  }

  /** The ids of the instruments that can pay at a given time. */
  async able(account: ActingAccount, ids: Iterable<string>, at: Date): Promise<Set<string>> {
    const fundings = await this.byId(account, ids);
    return new Set([...fundings.values()].filter((each) => isAbleToFund(each, at)).map(({ id }) => id));
  }

  /** Checks that these instruments are unchanged since `byId` returned them, for a statement that relies on them. */
  unchanged(fundings: Iterable<Funding>): Precondition {
    return unchanged(FundingInstrument, fundings, () => this.known.clear());
  }

  /** Makes every process read a funding instrument again that this transaction changes. */
  invalidate(db: EntityManager): Promise<void> {
    return this.known.invalidate(db);
  }
}
