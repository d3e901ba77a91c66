import { MAX_AMOUNT, MAX_ITEMS } from '../../measurement/entities/conversion-fact.entity.js';
import type { WebEventType } from '../../measurement/entities/web-event-tag.entity.js';

/** The kinds of conversions on websites, by the name of their metric, with the types of tags that count in each. */
const TYPES_OF_KIND = {
  add_to_carts: ['ADD_TO_CART'],
  add_to_wishlists: ['ADD_TO_WISHLIST'],
  checkouts_initiated: ['CHECKOUT_INITIATED'],
  content_views: ['CONTENT_VIEW'],
  custom: ['CUSTOM', 'PRODUCT_CUSTOMIZATION', 'START_TRIAL'],
  downloads: ['DOWNLOAD'],
  payment_info_additions: ['ADDED_PAYMENT_INFO'],
  purchases: ['PURCHASE'],
  searches: ['SEARCH'],
  sign_ups: ['SIGN_UP'],
  site_visits: ['SITE_VISIT'],
  subscriptions: ['SUBSCRIBE'],
} as const satisfies Record<string, readonly WebEventType[]>;

type WebKind = keyof typeof TYPES_OF_KIND;
type After = 'view' | 'click';
type Measure = 'conversions' | 'items' | 'amount';

/** A sum of conversions that are attributed. It is no column of a table: conversions are rows of each tag. */
export type AttributedColumn = `${WebKind}.${After}.${Measure}`;

/** The columns of a kind and a measure, after a view and after an engagement; undefined for a kind without tags. */
export const attributedColumns = (kind: string, measure: Measure): [AttributedColumn, AttributedColumn] | undefined =>
  kind in TYPES_OF_KIND ? [`${kind as WebKind}.view.${measure}`, `${kind as WebKind}.click.${measure}`] : undefined;

export const isAttributed = (column: string): column is AttributedColumn => column.includes('.');

/** More than this is shown as this: it is the largest number that responses have. */
const LIMITS: Record<Measure, number> = { conversions: MAX_ITEMS, items: MAX_ITEMS, amount: MAX_AMOUNT };

/** The expression of a column over rows `f` of conversions that are grouped. */
export function attributedSum(column: AttributedColumn): string {
  const [kind, after, measure] = column.split('.') as [WebKind, After, Measure];
  const types = TYPES_OF_KIND[kind].map((type) => `'${type}'`).join(', ');
  const condition = `f.type IN (${types}) AND ${after === 'click' ? '' : 'NOT '}f."isClick"`;
  return `LEAST(COALESCE(sum(f.${measure}) FILTER (WHERE ${condition}), 0), ${LIMITS[measure]})::int8`;
}
