import type { Row } from '../../common/db/query/rows.js';
import { CURRENCIES } from '../money.js';
import type { BiddingRule } from './bidding-rules/bidding-rule.entity.js';
import type { IabCategory } from './iab-categories/iab-category.entity.js';
import type { ReferenceName } from './reference-kind.js';

/** All reference data, stored or proposed. */
export type ReferenceTables = Record<ReferenceName, readonly object[]>;

interface Named {
  id: string;
  iabCategories: string[];
}

/** The inconsistencies of reference data, one sentence each: missing references and impossible amounts. */
export function inconsistenciesOf(tables: ReferenceTables): string[] {
  const iab = tables.iab_categories as readonly Row<IabCategory>[];
  const parents = new Map(iab.map(({ id, parentId }) => [id, parentId]));
  const categories = (['advertiser_business_categories', 'content_categories'] as const).flatMap((name) =>
    (tables[name] as readonly Named[]).map(({ id, iabCategories }) => ({ name, id, iabCategories })),
  );
  return [
    ...iab.flatMap(({ id, parentId }) => {
      if (parentId === null || parents.get(parentId) === null) return [];
      const why = parents.has(parentId) ? 'itself has a parent' : 'does not exist';
      return [`iab_categories: parent_id ${parentId} of ${id} ${why}`];
    }),
    ...categories.flatMap(({ name, id, iabCategories }) => {
      const unknown = iabCategories.filter((each) => !parents.has(each));
      return unknown.length > 0
        ? [`${name}: ${id} names ${unknown.join(', ')}, which iab_categories does not have`]
        : [];
    }),
    ...(tables.bidding_rules as readonly Row<BiddingRule>[]).flatMap(problemOfRule),
  ];
}

function problemOfRule(rule: Row<BiddingRule>): string[] {
  const { currency, minimumCpeBidLocalMicro: minimum, maximumCpeBidLocalMicro: maximum, minimumDenomination } = rule;
  const problems: string[] = [];
  if (!CURRENCIES.has(currency)) problems.push('is not a current ISO 4217 currency');
  if (minimum > maximum) problems.push(`has a minimum of ${minimum} above its maximum of ${maximum}`);
  for (const amount of [minimum, maximum]) {
    if (amount % minimumDenomination !== 0)
      problems.push(`has ${amount}, which is not a multiple of its minimum_denomination ${minimumDenomination}`);
  }
  return problems.map((problem) => `bidding_rules: ${currency} ${problem}`);
}
