import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ChangedBy } from '../../accounts/change-log/change-log.js';
import { Resources } from '../../accounts/resources/resources.service.js';
import { FundingCache, type Funding } from '../funding-instruments/funding-cache.service.js';
import { FUNDING_INSTRUMENTS } from '../funding-instruments/funding-instrument.resource.js';
import { creditRemaining, fundsRemaining, isAbleToFund } from '../funding-instruments/funding-instrument.rules.js';
import { addSpends } from './delivery-spending.statements.js';

/** What a line item spent, in micro-units; more than nothing. */
export interface LineItemSpend {
  lineItemId: string;
  campaignId: string;
  fundingInstrumentId: string;
  amount: number;
}

/** What the instruments that can pay can still pay, in micro-units; null without a limit. */
export type Payable = Map<string, number | null>;

/** Records the spend of many line items of an account at once. */
@Injectable()
export class DeliverySpending {
  constructor(
    private readonly resources: Resources,
    private readonly funding: FundingCache,
  ) {}

  /**
   * Locks funding instruments, asks `plan` for what line items spend in the same transaction, and adds it to the line
   * items, their campaigns and the instruments. The history records the change of an instrument, and webhooks get it.
   */
  spend(
    by: ChangedBy,
    fundingIds: readonly string[],
    at: Date,
    plan: (payable: Payable, db: EntityManager) => Promise<LineItemSpend[]>,
  ): Promise<void> {
    return this.resources.edit(
      by,
      FUNDING_INSTRUMENTS,
      [...fundingIds].sort(),
      async (unitOfWork, db) => {
        const able = [...unitOfWork.stored.values()].filter((each) => isAbleToFund(each, at));
        const payable: Payable = new Map(able.map((each) => [each.id, payableBy(each)]));
        const spends = await plan(payable, db);
        await addSpends(db, 'line_items', by.id, totals(spends, 'lineItemId'));
        await addSpends(db, 'campaigns', by.id, totals(spends, 'campaignId'));
        for (const [id, amount] of totals(spends, 'fundingInstrumentId'))
          unitOfWork.update(id, { spentLocalMicro: unitOfWork.find(id).spentLocalMicro + amount });
        if (spends.length > 0) await this.funding.invalidate(db);
      },
      { transaction: true },
    );
  }
}

function payableBy(funding: Funding): number | null {
  const limits = [creditRemaining(funding), fundsRemaining(funding)].filter((each) => each !== null);
  return limits.length > 0 ? Math.min(...limits) : null;
}

function totals(
  spends: readonly LineItemSpend[],
  by: 'lineItemId' | 'campaignId' | 'fundingInstrumentId',
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const spend of spends) sums.set(spend[by], (sums.get(spend[by]) ?? 0) + spend.amount);
  return sums;
}
