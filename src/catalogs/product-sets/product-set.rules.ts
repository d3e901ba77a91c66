import type { FilterAttribute, FilterOperator } from '../entities/product-set.entity.js';

const NUMBERS: readonly FilterAttribute[] = ['price', 'sale_price', 'inventory'];
const OF_NUMBERS: readonly FilterOperator[] = ['GREATER_THAN', 'EQUAL_TO', 'LESS_THAN'];
const OF_TEXTS: readonly FilterOperator[] = ['EQUAL_TO', 'MATCH', 'CONTAINS', 'NOT_CONTAINS'];

/** As many as a product may have. */
const MAX_INVENTORY = 2 ** 31 - 1;
const AMOUNT = /^(\d{1,9})(?:\.(\d{1,6}))?$/;

export const isNumber = (attribute: FilterAttribute): boolean => NUMBERS.includes(attribute);

/** The operators of an attribute: numbers are compared, texts are searched. */
export const operatorsOf = (attribute: FilterAttribute): readonly FilterOperator[] =>
  isNumber(attribute) ? OF_NUMBERS : OF_TEXTS;

/** A number of a filter as the column has it: prices in micro-units. Undefined for another text. */
export function numberOf(attribute: FilterAttribute, value: string): number | undefined {
  if (attribute === 'inventory') {
    const count = /^\d{1,10}$/.test(value) ? Number(value) : Infinity;
    return count <= MAX_INVENTORY ? count : undefined;
  }
  const [, units, decimals = ''] = AMOUNT.exec(value) ?? [];
  if (units === undefined) return undefined;
  return Number(units) * 1_000_000 + Number(decimals.padEnd(6, '0'));
}
