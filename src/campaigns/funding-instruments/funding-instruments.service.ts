import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { ChangeLog, created, removed } from '../../accounts/change-log/change-log.service.js';
import { Clock } from '../../common/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { SharedCache } from '../../common/db/cache/shared-cache.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { insert, replace, type Precondition } from '../../common/db/query/write.js';
import { newId } from '../../common/entity/ids.js';
import { nextUpdatedAt } from '../../common/entity/updated-at.js';
import { ApiErrors } from '../../common/errors/api-error.js';
import { notFound } from '../../common/errors/catalogue.js';
import { among, one } from '../../common/list/filters.js';
import type { OneQuery } from '../../common/list/list-query.js';
import { page } from '../../common/list/page.js';
import { FundingInstrument } from './funding-instrument.entity.js';
import { presentFundingInstrument } from './funding-instrument.presenter.js';
import { problemsOf } from './funding-instrument.rules.js';
import type { CreateFundingInstrument, ListFundingInstruments } from './funding-instruments.dto.js';

export type Funding = Row<FundingInstrument>;

const CHANNEL = 'funding';

@Injectable()
export class FundingInstrumentsService {
  /** Campaigns ask for theirs at every read and write. What is stored on its word checks it again in the same statement. */
  private readonly known: SharedCache<Funding>;

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly changes: ChangeLog,
    notifications: DatabaseNotifications,
  ) {
    this.known = new SharedCache(notifications, CHANNEL, { max: 20_000 });
  }

  /** Part 3, 4.5. */
  list(account: ActingAccount, query: ListFundingInstruments) {
    return page(among(this.of(account), 'id', query.funding_instrument_ids), query);
  }

  get(account: ActingAccount, id: string, query?: OneQuery) {
    return one(this.of(account), id, () => unknownFunding(account, id), query);
  }

  /** Those of the account with these ids, deleted ones too; from memory where they are known. */
  async byId(
    account: ActingAccount,
    ids: Iterable<string>,
    db: EntityManager = this.db.manager,
  ): Promise<Map<string, Funding>> {
    const found = new Map<string, Funding>();
    const unknown: string[] = [];
    for (const id of new Set(ids)) {
      const funding = this.known.get(id);
      if (!funding) unknown.push(id);
      else if (funding.accountId === account.id) found.set(id, funding);
    }
    if (unknown.length === 0) return found;
    const keep = this.known.beginRead();
    const stored = among(rows(db, FundingInstrument).is('accountId', account.id), 'id', unknown);
    stored.deletedToo = true;
    for (const funding of await run<Funding>(db, stored.statement())) {
      found.set(funding.id, funding);
      keep(funding.id, funding);
    }
    return found;
  }

  /** That all of these are still as they were read: to be checked by the statement that relies on it. */
  unchanged(fundings: Iterable<Funding>): Precondition {
    const expected = [...new Map([...fundings].map((funding) => [funding.id, funding])).values()];
    const [only] = expected;
    // nearly always there is one, and a join over a list of it takes an eighth of what storing a campaign does
    if (expected.length === 1) {
      return {
        sql: (bind) =>
          `SELECT 1 FROM funding_instruments f WHERE f.id = ${bind(only.id)} AND f."updatedAt" = ${bind(only.updatedAt)}`,
      };
    }
    return {
      sql: (bind) => `SELECT 1 FROM funding_instruments f
        JOIN unnest(${bind(expected.map((each) => each.id))}::text[], ${bind(expected.map((each) => each.updatedAt))}::timestamptz[]) AS e (id, at) ON f.id = e.id AND f."updatedAt" = e.at
        HAVING count(*) = ${bind(expected.length)}::int`,
    };
  }

  /** What was remembered turned out to be old. */
  forget(): void {
    this.known.clear();
  }

  /** Part 3, 4.5, sandbox only. */
  async create(account: ActingAccount, params: CreateFundingInstrument): Promise<Funding> {
    const now = this.clock.now();
    const time = now.toISOString();
    const funding: Funding = {
      id: newId(now),
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
      entityStatus: 'ACTIVE',
      createdAt: time,
      updatedAt: time,
      deletedAt: null,
    };
    const problems = problemsOf(funding);
    if (problems.length > 0) throw new ApiErrors(problems);
    const change = created('FUNDING_INSTRUMENT', funding.id, presentFundingInstrument(now)(funding));
    await this.changes.store(this.db.manager, account, [insert(FundingInstrument, [funding])], [change]);
    return funding;
  }

  /** Part 3, 4.5, sandbox only: campaigns under it stay, and have a FUNDING_PROBLEM. */
  delete(account: ActingAccount, id: string): Promise<Funding> {
    return this.db.transaction(async (tx) => {
      const [before] = await run<Funding>(
        tx,
        rows(tx, FundingInstrument).is('accountId', account.id).is('id', id).statement(' FOR UPDATE'),
      );
      if (!before) throw unknownFunding(account, id);
      const now = this.clock.now();
      const updatedAt = nextUpdatedAt(before.updatedAt, now);
      const after: Funding = { ...before, updatedAt, deletedAt: updatedAt };
      const change = removed('FUNDING_INSTRUMENT', id, presentFundingInstrument(now)(after));
      await this.changes.store(tx, account, [replace(FundingInstrument, [after])], [change]);
      await this.known.invalidate(tx);
      return after;
    });
  }

  private of(account: ActingAccount) {
    return rows(this.db.manager, FundingInstrument).is('accountId', account.id);
  }
}

/** A reference to funding that the account does not have. */
export const unknownFunding = (account: ActingAccount, id: string) =>
  notFound('Funding Instrument', 'funding_instrument_id', id, account.id);
