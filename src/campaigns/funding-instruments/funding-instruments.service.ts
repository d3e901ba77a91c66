import { Injectable } from '@nestjs/common';
import type { AccountReader, ActingAccount } from '../../accounts/access/acting-account.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { throwErrors } from '../../common/errors/api-error.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { one } from '../../common/list/one.js';
import { page } from '../../common/list/page.js';
import { FundingCache, type Funding } from './funding-cache.service.js';
import { FUNDING_INSTRUMENTS } from './funding-instrument.entity.js';
import { newFunding, problemsOf } from './funding-instrument.rules.js';
import type { CreateFundingInstrument, ListFundingInstruments } from './funding-instruments.dto.js';

/** Lists, creates and deletes funding instruments. */
@Injectable()
export class FundingInstrumentsService {
  constructor(
    private readonly resources: Resources,
    private readonly cache: FundingCache,
  ) {}

  list(account: AccountReader, query: ListFundingInstruments) {
    return page(this.resources.of(account, FUNDING_INSTRUMENTS).whereIn('id', query.funding_instrument_ids), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery) {
    return one(this.resources.of(account, FUNDING_INSTRUMENTS), id, FUNDING_INSTRUMENTS.notFoundError(account), query);
  }

  /** Over HTTP in the sandbox only. Operators do it for production accounts. */
  create(account: ActingAccount, params: CreateFundingInstrument): Promise<Funding> {
    const fields = newFunding(account.id, params);
    throwErrors(problemsOf(fields));
    return this.resources.create(account, FUNDING_INSTRUMENTS, fields);
  }

  /** Over HTTP in the sandbox only. Operators do it for production accounts. */
  delete(account: ActingAccount, id: string): Promise<Funding> {
    return this.resources.changeLocked(account, FUNDING_INSTRUMENTS, [], async (unit) => {
      await unit.lock([id], { mode: 'pessimistic_write' });
      const funding = unit.delete(id);
      await this.cache.invalidate(unit.db);
      return funding;
    });
  }
}
