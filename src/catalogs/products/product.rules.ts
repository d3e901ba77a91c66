import { createHash } from 'node:crypto';
import { isCalendarDate } from '../../config/environment.js';
import type { ProductAttributes } from '../entities/product.entity.js';

const PRICE = /^(\d{1,9})(?:\.(\d{1,6}))? ([A-Z]{3})$/;
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The amount in micro-units and the currency of a price such as `60.00 USD`; undefined for another text. */
export function priceOf(text: string): { micro: number; currency: string } | undefined {
  const [, units, decimals = '', currency] = PRICE.exec(text) ?? [];
  if (currency === undefined || !CURRENCIES.has(currency)) return undefined;
  return { micro: Number(units) * 1_000_000 + Number(decimals.padEnd(6, '0')), currency };
}

/** A time with an offset, which may lack seconds, and the colon of the offset. */
const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})?$/;

const msOf = (text: string): number => {
  const [, minute, seconds = ':00', zone = 'Z'] = TIME.exec(text) ?? [];
  // Date.parse takes February 30
  return minute === undefined || !isCalendarDate(minute.slice(0, 10))
    ? NaN
    : Date.parse(`${minute}${seconds}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
};

/** Whether a text is two times in order, separated by a slash. */
export function isTimeRange(text: string): boolean {
  const [start, end, ...others] = text.split('/').map(msOf);
  return others.length === 0 && start < end;
}

/** The key of the group of a product: as sent, or made of the id of the group. Products without a group have none. */
export function groupKeyOf(catalogId: string, attributes: ProductAttributes): string | undefined {
  const { item_group_key: sent, item_group_id: id } = attributes;
  if (sent !== undefined) return String(sent);
  if (id === undefined) return undefined;
  const hash = createHash('sha256').update(`${catalogId}\0${id}`).digest('hex');
  return BigInt(`0x${hash.slice(0, 15)}`).toString();
}

/** The bytes of the attributes as they are stored. */
export const bytesOf = (attributes: ProductAttributes): number => Buffer.byteLength(JSON.stringify(attributes));
