import { MAX_AMOUNT, MAX_ITEMS, type FactType } from '../../measurement/entities/conversion-fact.entity.js';

/**
 * The kinds of conversions, by the name of their metric, with the types of tags that count in each: on websites, and in apps, which begin
 * with `app_`.
 */
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
  app_achievements_unlocked: ['APP_ACHIEVEMENT_UNLOCKED'],
  app_add_to_carts: ['APP_ADD_TO_CART'],
  app_add_to_wishlists: ['APP_ADD_TO_WISHLIST'],
  app_checkouts_initiated: ['APP_CHECKOUT_INITIATED'],
  app_content_views: ['APP_CONTENT_VIEW'],
  app_installs: ['APP_INSTALL'],
  app_invites: ['APP_INVITE'],
  app_levels_achieved: ['APP_LEVEL_ACHIEVED'],
  app_logins: ['APP_LOGIN'],
  app_payment_info_additions: ['APP_ADDED_PAYMENT_INFO'],
  app_purchases: ['APP_PURCHASE'],
  app_rates: ['APP_RATED'],
  app_re_engages: ['APP_RE_ENGAGE'],
  app_reservations: ['APP_RESERVATION'],
  app_searches: ['APP_SEARCH'],
  app_shares: ['APP_SHARE'],
  app_sign_ups: ['APP_SIGN_UP'],
  app_spent_credits: ['APP_SPENT_CREDITS'],
  app_tutorials_completed: ['APP_TUTORIAL_COMPLETE'],
  app_updates: ['APP_UPDATE'],
} as const satisfies Record<string, readonly FactType[]>;

type Kind = keyof typeof TYPES_OF_KIND;
type After = 'view' | 'click';
type Measure = 'conversions' | 'items' | 'amount';

/** A sum of conversions that are attributed. It is no column of a table: conversions are rows of each tag. */
export type AttributedColumn = `${Kind}.${After}.${Measure}`;

/** The columns of a kind and a measure, after a view and after an engagement; undefined for a kind without tags. */
export const attributedColumns = (kind: string, measure: Measure): [AttributedColumn, AttributedColumn] | undefined =>
  kind in TYPES_OF_KIND ? [`${kind as Kind}.view.${measure}`, `${kind as Kind}.click.${measure}`] : undefined;

export const isAttributed = (column: string): column is AttributedColumn => column.includes('.');

/** More than this is shown as this: it is the largest number that responses have. */
const LIMITS: Record<Measure, number> = { conversions: MAX_ITEMS, items: MAX_ITEMS, amount: MAX_AMOUNT };

/** The expression of a column over rows `f` of conversions that are grouped. */
export function attributedSum(column: AttributedColumn): string {
  const [kind, after, measure] = column.split('.') as [Kind, After, Measure];
  const types = TYPES_OF_KIND[kind].map((type) => `'${type}'`).join(', ');
  const condition = `f.type IN (${types}) AND ${after === 'click' ? '' : 'NOT '}f."isClick"`;
  return `LEAST(COALESCE(sum(f.${measure}) FILTER (WHERE ${condition}), 0), ${LIMITS[measure]})::int8`;
}
