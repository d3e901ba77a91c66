import type { ActingAccount } from '../../accounts/access/acting-account.js';
import type { OwnProductSets } from '../../catalogs/advertised-products/own-product-sets.js';
import type { Row } from '../../common/db/query/rows.js';
import type { ApiError } from '../../common/errors/api-error.js';
import { invalid } from '../../common/errors/catalogue.js';
import type { Campaign } from '../entities/campaign.entity.js';
import { TERMS, type Goal } from '../entities/line-item.tables.js';
import { OPEN_END } from '../open-end.js';
import type { CreateLineItem } from './line-items.dto.js';

/** The terms of a line item, requested or stored, under the API's field names. A flight without an end has OPEN_END. */
export type Terms = Omit<CreateLineItem, 'entity_status' | 'end_time'> & { end_time: string };
export type Term = keyof Terms;

/** The terms of a request that creates a line item. */
export const termsOfNew = <T extends Pick<CreateLineItem, 'end_time'>>(params: T) => ({
  ...params,
  end_time: params.end_time ?? OPEN_END,
});

/** The bid bounds of a currency (`bidding_rules`), in micro-units. */
export interface BidBounds {
  minimum: number;
  maximum: number;
  denomination: number;
}

/** The data that the rules of a line item need besides its terms. */
export interface LineItemContext {
  /** Undefined if unknown. Rules that depend on it are then skipped. */
  campaign?: Row<Campaign>;
  bids?: BidBounds;
  account: Pick<ActingAccount, 'id' | 'features' | 'asOf'>;
  /** The FULL promotable user of the account, on whose behalf the line item advertises. */
  advertiser: string | null;
  /** Returns the unknown ids among categories, and the advertiser business categories of the others. */
  categories: { unknown: (ids: readonly string[]) => string[]; groups: (ids: readonly string[]) => string[] };
  /** The product catalog of the user, and those of its sets that the request names. */
  products: OwnProductSets;
  /** The web event tags of the account, of those that the request names. */
  tags: ReadonlySet<string>;
  now: Date;
  /** The previous state; undefined for a new line item. */
  stored?: { terms: Terms; spent: number };
}

/** A condition between parameters, and between them and stored data. */
export interface Condition {
  /**
   * The parameters of the condition. It is checked if all of them are readable and, for an update, if one of them
   * changes.
   */
  asks: readonly Term[];
  problem: (terms: Terms, context: LineItemContext) => ApiError | undefined;
}

export const condition = (asks: readonly Term[], problem: Condition['problem']): Condition => ({ asks, problem });

/** A condition that every stored line item meets, whatever has changed since, because it is about its terms alone. */
export interface LastingCondition extends Condition {
  isLasting: true;
  problem: (terms: Terms) => ApiError | undefined;
}

export const lasting = (asks: readonly Term[], problem: LastingCondition['problem']): LastingCondition => ({
  asks,
  problem,
  isLasting: true,
});

export const isLasting = (each: Condition): each is LastingCondition => 'isLasting' in each;

/** The goal, as sent or by default. */
export const goalOf = ({ goal, objective }: Pick<Terms, 'goal' | 'objective'>): Goal =>
  goal ?? TERMS[objective].goals[0];

/** The 400 of a value that a rule does not allow; `where` says which rule. */
export const notOf = (name: string, value: string, allowed: readonly string[], where: string): ApiError =>
  invalid(name, `Expected a value in ${allowed.join(', ')}, got "${value}" for ${name}`, { value, details: where });
