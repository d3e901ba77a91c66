import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Row } from '../../../common/db/query/rows.js';
import { Page } from '../../../common/list/page.js';
import { madeOnce, ReferenceData } from '../reference-data.service.js';
import type { BiddingRule } from './bidding-rule.entity.js';
import { BIDDING_RULES } from './bidding-rule.reference.js';
import type { ListBiddingRules } from './bidding-rules.dto.js';

const byCurrency = madeOnce(
  (all: readonly Row<BiddingRule>[]): ReadonlyMap<string, Row<BiddingRule>> =>
    new Map(all.map((rule) => [rule.currency, rule])),
);

@Injectable()
export class BiddingRulesService {
  constructor(private readonly data: ReferenceData) {}

  /** Part 3, 4.2: all of them, or that of one currency; and always how many. */
  async list({ currency }: ListBiddingRules): Promise<Page<Row<BiddingRule>>> {
    const one = currency === undefined ? undefined : await this.of(currency);
    const found = currency === undefined ? [...(await this.all())] : one ? [one] : [];
    return new Page(found, null, found.length, { data_type: 'bidding_rule' });
  }

  all(db?: EntityManager): Promise<readonly Row<BiddingRule>[]> {
    return this.data.all(BIDDING_RULES, db);
  }

  /** What can be bid in a currency; undefined where nothing is known of it, and so any amount is as good as another. */
  async of(currency: string, db?: EntityManager): Promise<Row<BiddingRule> | undefined> {
    return byCurrency(await this.all(db)).get(currency);
  }
}
