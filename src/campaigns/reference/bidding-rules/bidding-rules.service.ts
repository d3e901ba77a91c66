import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Row } from '../../../common/db/query/rows.js';
import { Page } from '../../../common/http/answers/page.js';
import { minimumDenomination } from '../../money.js';
import { madeOnce, ReferenceData } from '../reference-data.service.js';
import type { ListBiddingRules } from '../reference.dto.js';
import { BIDDING_RULES, type BiddingRule } from './bidding-rule.entity.js';

/** The bid bounds of a currency, imported or default. */
export type BidBounds = Omit<Row<BiddingRule>, 'position'>;

const byCurrency = madeOnce(
  (all: readonly Row<BiddingRule>[]): ReadonlyMap<string, Row<BiddingRule>> =>
    new Map(all.map((rule) => [rule.currency, rule])),
);

@Injectable()
export class BiddingRulesService {
  constructor(private readonly data: ReferenceData) {}

  /** All rules or the rule of one currency, with `total_count`. */
  async list({ currency }: ListBiddingRules): Promise<Page<BidBounds>> {
    const found = currency === undefined ? [...(await this.all())] : [await this.of(currency)];
    return new Page(found, null, found.length, { data_type: 'bidding_rule' });
  }

  all(db?: EntityManager): Promise<readonly Row<BiddingRule>[]> {
    return this.data.all(BIDDING_RULES, db);
  }

  /** The rule of a currency, else the default rule for its number of decimals. */
  async of(currency: string, db?: EntityManager): Promise<BidBounds> {
    return byCurrency(await this.all(db)).get(currency) ?? defaultRule(currency);
  }
}

/** The default bounds: 0.01 to 1,000 units, or 1 to 100,000 for currencies without decimals. */
function defaultRule(currency: string): BidBounds {
  const denomination = minimumDenomination(currency);
  const hasDecimals = denomination < 1_000_000;
  return {
    currency,
    minimumCpeBidLocalMicro: hasDecimals ? 10_000 : 1_000_000,
    maximumCpeBidLocalMicro: hasDecimals ? 1_000_000_000 : 100_000_000_000,
    minimumDenomination: denomination,
  };
}
