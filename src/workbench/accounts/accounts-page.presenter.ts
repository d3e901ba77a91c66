import { amountText } from '../../campaigns/money.js';
import type { Item } from '../inside/inside-api.js';
import type { Kind } from './kinds.js';
import { kindOf } from './kinds.js';
import { remediesOf, statusOf } from './remedies.js';

/** The account of a page. */
export interface ShownAccount {
  id: string;
  name: string;
  isSandbox: boolean;
}

/** What items spent, in micro-units by id. */
export interface Spent {
  today: ReadonlyMap<string, number>;
  total: ReadonlyMap<string, number>;
}

/** The picture of a post or a card. */
export interface Thumbnail {
  src: string;
  title: string;
  isFrame: boolean;
}

interface Budget {
  label: string;
  spent: string;
  of: string;
  width: string;
}

const MAX_NAME_LENGTH = 200;

/** A page below the account, relative to the section. */
export const linkOf = (accountId: string, path: string, query: Record<string, string | undefined> = {}): string => {
  const given = Object.entries(query).filter((each): each is [string, string] => !!each[1]);
  const text = new URLSearchParams(given).toString();
  return `/${accountId}/${path}${text && `?${text}`}`;
};

/** Posts have their id as a number and as a text. */
export const idOf = (item: Item): string => (item.id_str ?? item.id) as string;

/** An item of a list or on its own page. */
export function presentItem(
  kind: Kind,
  item: Item,
  account: ShownAccount,
  { spent, thumbnails }: { spent?: Spent; thumbnails?: ReadonlyMap<string, Thumbnail> } = {},
) {
  const id = idOf(item);
  return {
    id,
    kind: kind.one,
    name: textOf(kind.name(item) ?? id).slice(0, MAX_NAME_LENGTH),
    link: linkOf(account.id, `${kind.path}/${id}`),
    status: statusOf(item),
    budgets: budgetsOf(item, spent),
    flight: flightOf(item),
    facts: kind.fields.flatMap((field) => {
      const value = item[field];
      if (value === null || value === undefined || value === '') return [];
      return [{ field, value: field === 'created_at' ? shownDate(value) : textOf(value) }];
    }),
    remedies: remediesOf(kind, item, account),
    children: kind.children.map(({ path, by }) => ({
      title: kindOf(path)!.title,
      link: linkOf(account.id, path, { [by]: id }),
    })),
    thumbnail: thumbnails?.get(id),
  };
}

/** A value of a field; lists with commas. */
const textOf = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : String(value));

/** A budget with the part of it that is spent; none for what has no budget. */
function budgetsOf(item: Item, spent?: Spent): Budget[] {
  const { currency, funded_amount_local_micro: funded, credit_limit_local_micro: limit } = item;
  const of = limit ?? funded;
  const left = item.credit_remaining_local_micro ?? funded;
  const rows: [label: string, spent: unknown, budget: unknown][] = [
    ['today', spent?.today.get(idOf(item)), item.daily_budget_amount_local_micro],
    ['total', spent?.total.get(idOf(item)), item.total_budget_amount_local_micro],
    ['credit', Number(of) - Number(left), typeof of === 'number' && typeof left === 'number' ? of : null],
  ];
  return rows.flatMap(([label, part, budget]) => {
    if (typeof budget !== 'number' || typeof part !== 'number') return [];
    const code = String(currency);
    return [
      {
        label,
        spent: amountText(part, code),
        of: `${amountText(budget, code)} ${code}`,
        width: `${Math.min(100, Math.round((part / Math.max(budget, 1)) * 100))}%`,
      },
    ];
  });
}

/** A time as posts have it: `Fri Nov 27 06:54:22 +0000 2026`. */
const shownDate = (time: unknown): string => shownTime(new Date(String(time)).toISOString());

const shownTime = (time: unknown): string => String(time).slice(0, 16).replace('T', ' ');

/** The flight of what has one. */
function flightOf({ start_time: start, end_time: end }: Item): string | null {
  if (!start && !end) return null;
  return `${start ? shownTime(start) : 'now'} to ${end ? shownTime(end) : 'open end'}`;
}

/** The source of the frame in the HTML of a preview. */
export const frameSourceOf = (html: unknown): string | undefined => /\ssrc='([^']+)'/.exec(String(html))?.[1];

interface CardMedia {
  type: string;
  url?: string;
}

type CardComponent = { media_metadata?: Record<string, CardMedia> };

/** The first image of a card, or of the first slide of a carousel that has one; undefined without any. */
export function imageOf(card: Item): Thumbnail | undefined {
  const components = [card.components ?? [], card.slides ?? []].flat(2) as CardComponent[];
  const media = components.flatMap(({ media_metadata: each }) => Object.values(each ?? {}));
  const src = media.find(({ type, url }) => type === 'IMAGE' && url !== undefined)?.url;
  return src === undefined ? undefined : { src, title: String(card.name), isFrame: false };
}

/** JSON with line breaks. */
export const indentedJson = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 2);
