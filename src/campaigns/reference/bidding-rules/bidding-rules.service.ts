import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Row } from '../../../common/db/query/rows.js';
import { Page } from '../../../common/http/page.js';
import { minimumDenomination } from '../../money.js';
import { madeOnce, ReferenceData } from '../reference-data.service.js';
import type { BiddingRule } from './bidding-rule.entity.js';
import { BIDDING_RULES } from './bidding-rule.reference.js';
import type { ListBiddingRules } from './bidding-rules.dto.js';

/** What can be bid in a currency, whether a rule was imported for it or not. */
export type Bounds = Omit<Row<BiddingRule>, 'position'>;

const byCurrency = madeOnce(
  (all: readonly Row<BiddingRule>[]): ReadonlyMap<string, Row<BiddingRule>> =>
    new Map(all.map((rule) => [rule.currency, rule])),
);

@Injectable()
export class BiddingRulesService {
  constructor(private readonly data: ReferenceData) {}

  /** All of them, or that of one currency; and always how many. */
  async list({ currency }: ListBiddingRules): Promise<Page<Bounds>> {
    const found = currency === undefined ? [...(await this.all())] : [await this.of(currency)];
    return new Page(found, null, found.length, { data_type: 'bidding_rule' });
  }

  all(db?: EntityManager): Promise<readonly Row<BiddingRule>[]> {
    return this.data.all(BIDDING_RULES, db);
  }

  /** What can be bid in a currency: its own rule, or the default rule of its denomination. */
  async of(currency: string, db?: EntityManager): Promise<Bounds> {
    return byCurrency(await this.all(db)).get(currency) ?? defaultRule(currency);
  }
}

/** The default bounds: a cent to a thousand units, or a unit to a hundred thousand where a currency has no decimals. */
function defaultRule(currency: string): Bounds {
  const denomination = minimumDenomination(currency);
  const hasDecimals = denomination < 1_000_000;
  return {
    currency,
    minimumCpeBidLocalMicro: hasDecimals ? 10_000 : 1_000_000,
    maximumCpeBidLocalMicro: hasDecimals ? 1_000_000_000 : 100_000_000_000,
    minimumDenomination: denomination,
  };
}
