import type { EntityManager } from 'typeorm';
import type { LineItemSpend } from '../../campaigns/spending/delivery-spending.service.js';
import type { DeliveredHour, ServableItem } from '../../campaigns/spending/servable-items.statements.js';
import { int4Array, int8Array } from '../../common/db/query/integer-arrays.js';
import { binding, run } from '../../common/db/query/statement.js';
import { quoteIdentifier, tableOf } from '../../common/db/query/table-metadata.js';
import type { ConversionColumn } from '../facts/delivery-counts.entity.js';
import { DeliveryFact } from '../facts/delivery-fact.entity.js';
import type { SimulatedFact } from './delivery.model.js';

/** The delivery of a line item in an hour. */
export interface DeliveredItem {
  item: Pick<ServableItem, 'id' | 'campaignId' | 'fundingInstrumentId'>;
  audienceId: string;
  facts: readonly SimulatedFact[];
}

const COUNTS = [
  'impressions',
  'engagements',
  'retweets',
  'replies',
  'likes',
  'follows',
  'cardEngagements',
  'clicks',
  'appClicks',
  'urlClicks',
  'qualifiedImpressions',
  'carouselSwipes',
  'billedEngagements',
  'videoTotalViews',
  'videoViews25',
  'videoViews50',
  'videoViews75',
  'videoViews100',
  'videoCtaClicks',
  'videoContentStarts',
  'video3s100pctViews',
  'video6sViews',
  'video15sViews',
  'mediaViews',
  'mediaEngagements',
] as const satisfies readonly (keyof SimulatedFact)[];

const TEXTS = [
  'lineItemId',
  'campaignId',
  'fundingInstrumentId',
  'audienceId',
  'placement',
  'promotedId',
  'promotedKind',
  'postId',
] as const;

/** Amounts are 64-bit integers; all other counts fit into 32 bits. */
const AMOUNTS: ReadonlySet<ConversionColumn> = new Set(['webSalesAfterView', 'webSalesAfterEngagement', 'mobileSales']);

/** The values of a 32-bit word. */
const WORD = 2 ** 32;

/**
 * Stores the facts of an hour that are not stored yet, and returns what these cost, by line item; also those that cost nothing. The facts are one array for
 * each column: as JSON, they would take several times as long to write and to read.
 */
export async function storeFacts(
  db: EntityManager,
  { accountId, start }: DeliveredHour,
  delivered: readonly DeliveredItem[],
): Promise<LineItemSpend[]> {
  const length = delivered.reduce((sum, { facts }) => sum + facts.length, 0);
  if (length === 0) return [];
  const texts = Object.fromEntries(TEXTS.map((name) => [name, [] as (string | null)[]])) as TextColumns;
  const counts = COUNTS.map((name) => intColumn(name, length));
  const charges = amountColumn('billedChargeLocalMicro', length);
  const conversions = conversionsIn(delivered).map((name) =>
    (AMOUNTS.has(name) ? amountColumn : intColumn)(name, length),
  );
  let i = 0;
  for (const { item, audienceId, facts } of delivered)
    for (const fact of facts) {
      texts.lineItemId.push(item.id);
      texts.campaignId.push(item.campaignId);
      texts.fundingInstrumentId.push(item.fundingInstrumentId);
      texts.audienceId.push(audienceId);
      texts.placement.push(fact.placement);
      texts.promotedId.push(fact.promotedId);
      texts.promotedKind.push(fact.promotedKind);
      texts.postId.push(fact.postId);
      for (const { name, set } of counts) set(i, fact[name]);
      charges.set(i, fact.billedChargeLocalMicro);
      for (const { name, set } of conversions) set(i, fact.conversions[name] ?? 0);
      i++;
    }
  const { bind, values } = binding();
  const [account, hour] = [bind(accountId), `${bind(start)}::timestamptz`];
  const arrays = [
    ...TEXTS.map((name) => `${bind(texts[name])}::varchar[]`),
    ...[...counts, charges, ...conversions].map(({ type, parameter }) => `${bind(parameter)}::${type}[]`),
  ];
  const always = [...TEXTS, ...COUNTS, charges.name].map(quoteIdentifier);
  const converted = conversions.map(({ name }) => quoteIdentifier(name));
  const columns = [...always, ...converted].join(', ');
  const selected = [...always, ...converted.map((name) => `NULLIF(${name}, 0)`)].join(', ');
  return run<LineItemSpend>(db, {
    text: `WITH stored AS (INSERT INTO ${tableOf(db, DeliveryFact).table} ("accountId", hour, ${columns})
        SELECT ${account}, ${hour}, ${selected} FROM unnest(${arrays.join(', ')}) AS f (${columns}) ON CONFLICT DO NOTHING
        RETURNING "lineItemId", "campaignId", "fundingInstrumentId", "billedChargeLocalMicro" AS amount)
      SELECT "lineItemId", "campaignId", "fundingInstrumentId", sum(amount)::bigint AS amount FROM stored
      GROUP BY "lineItemId", "campaignId", "fundingInstrumentId"`,
    values,
  });
}

/** The columns of the conversions that these facts count: facts of a line item have the same ones. */
function conversionsIn(delivered: readonly DeliveredItem[]): ConversionColumn[] {
  const names = new Set<string>();
  for (const { facts } of delivered) for (const name of Object.keys(facts[0]?.conversions ?? {})) names.add(name);
  return [...names].sort() as ConversionColumn[];
}

/** A column of a statement, as an array of which every element is set. */
interface NumberColumn<Name> {
  name: Name;
  type: 'int' | 'bigint';
  parameter: Buffer;
  set: (index: number, value: number) => void;
}

function intColumn<Name>(name: Name, length: number): NumberColumn<Name> {
  return { name, type: 'int', ...int4Array(length) };
}

function amountColumn<Name>(name: Name, length: number): NumberColumn<Name> {
  const array = int8Array(length);
  const set = (index: number, value: number) => array.setWords(index, Math.floor(value / WORD), value | 0);
  return { name, type: 'bigint', parameter: array.parameter, set };
}

type TextColumns = Record<(typeof TEXTS)[number], (string | null)[]>;

/** The charges of line items from one time to another. */
export const chargedBetween = (
  db: EntityManager,
  accountId: string,
  from: string,
  to: string,
): Promise<{ lineItemId: string; campaignId: string; amount: number }[]> =>
  run(
    db,
    {
      text: `SELECT "lineItemId", "campaignId", sum("billedChargeLocalMicro")::bigint AS amount FROM ${tableOf(db, DeliveryFact).table}
        WHERE "accountId" = $1 AND hour >= $2::timestamptz AND hour < $3::timestamptz GROUP BY "lineItemId", "campaignId"`,
      values: [accountId, from, to],
    },
    { large: true, planned: 'each time' },
  );
