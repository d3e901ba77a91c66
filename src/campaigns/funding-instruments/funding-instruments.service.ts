import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { UnitOfWork } from '../../accounts/resources/unit-of-work.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { unchanged } from '../../common/db/query/preconditions.js';
import type { Row } from '../../common/db/query/rows.js';
import type { Precondition } from '../../common/db/query/write.js';
import { refuseAny } from '../../common/errors/api-error.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { FundingInstrument } from './funding-instrument.entity.js';
import { FUNDING_INSTRUMENTS } from './funding-instrument.resource.js';
import { isAbleToFund, problemsOf } from './funding-instrument.rules.js';
import type { CreateFundingInstrument, ListFundingInstruments } from './funding-instruments.dto.js';

export type Funding = Row<FundingInstrument>;

const CHANNEL = 'funding';

@Injectable()
export class FundingInstrumentsService {
  /**
   * Campaigns need their funding for every read and write. A statement that relies on this cache checks the funding
   * again.
   */
  private readonly known: SharedCache<Funding>;

  constructor(
    private readonly db: DataSource,
    private readonly resources: Resources,
    notifications: DatabaseNotifications,
  ) {
    this.known = new SharedCache(notifications, CHANNEL, { max: 20_000 });
  }

  list(account: Pick<ActingAccount, 'id'>, query: ListFundingInstruments) {
    return page(this.of(account).whereIn('id', query.funding_instrument_ids), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery) {
    return one(this.of(account), id, FUNDING_INSTRUMENTS.notFoundError(account), query);
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
    for (const funding of await this.of(account, db).withDeleted().whereIn('id', unknown).getMany()) {
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

  /** Over HTTP in the sandbox only. Operators do it for production accounts. */
  create(account: ActingAccount, params: CreateFundingInstrument): Promise<Funding> {
    const fields = {
      accountId: account.id,
      type: params.type,
      description: params.type === 'CREDIT_CARD' ? 'Visa ending in 0650' : '(no payment method has been set up yet)',
      currency: params.currency,
      startTime: params.start_time,
      endTime: params.end_time ?? null,
      creditLimitLocalMicro: params.credit_limit_local_micro ?? null,
      fundedAmountLocalMicro: params.funded_amount_local_micro ?? null,
      spentLocalMicro: 0,
      ioHeader: null,
      entityStatus: 'ACTIVE' as const,
    };
    refuseAny(problemsOf(fields));
    return this.resources.create(account, FUNDING_INSTRUMENTS, fields);
  }

  /** Over HTTP in the sandbox only. Operators do it for production accounts. */
  delete(account: ActingAccount, id: string): Promise<Funding> {
    const remove = async (unitOfWork: UnitOfWork<FundingInstrument>, db: EntityManager) => {
      const funding = unitOfWork.delete(id);
      await this.known.invalidate(db);
      return funding;
    };
    return this.resources.edit(account, FUNDING_INSTRUMENTS, [id], remove, { lock: 'pessimistic_write' });
  }

  /** Makes every process read a funding instrument again that this transaction changes. */
  invalidate(db: EntityManager): Promise<void> {
    return this.known.invalidate(db);
  }

  private of(account: Pick<ActingAccount, 'id'>, db = this.db.manager) {
    return this.resources.of(account, FUNDING_INSTRUMENTS, db);
  }
}
