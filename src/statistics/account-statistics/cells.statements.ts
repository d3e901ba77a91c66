import type { EntityManager } from 'typeorm';
import type { RowReader } from '../../common/db/query/freshness.js';
import { binding, run } from '../../common/db/query/statement.js';
import { quoteIdentifier, tableOf } from '../../common/db/query/table-metadata.js';
import { ConversionFact } from '../../measurement/entities/conversion-fact.entity.js';
import { deliveredIn } from '../facts/delivered.statements.js';
import type { DeliveryRange } from '../facts/delivery-range.rules.js';
import { attributedSum, isAttributed } from './attributed-columns.js';
import { deliveryOptions, sourceOf } from './account-statistics.statements.js';
import type { FactColumn, StatisticsEntity } from './metrics.js';

/** A line item that delivers for an entity. */
export interface DeliveringItem {
  id: string;
  lineItemId: string;
}

/** A page of the line items of entities, in the order of `ids`, after one of them. */
export async function itemsOf(
  db: EntityManager,
  { accountId, entity, ids }: { accountId: string; entity: StatisticsEntity; ids: readonly string[] },
  after: DeliveringItem | undefined,
  limit: number,
  reader: RowReader,
): Promise<DeliveringItem[]> {
  const { items } = sourceOf(db, entity);
  if (items === undefined) return [];
  const { bind, values } = binding();
  bind(accountId);
  const place = `array_position(${bind(ids)}::varchar[], o.id)`;
  const [id, lineItemId] = [bind(after?.id ?? null), bind(after?.lineItemId ?? null)];
  const text = `SELECT o.id, o."lineItemId" FROM (${items}) o
    WHERE ${id}::varchar IS NULL OR (${place}, o."lineItemId") > (array_position($2::varchar[], ${id}::varchar), ${lineItemId})
    ORDER BY ${place}, o."lineItemId" LIMIT ${limit}`;
  return run(db, { text, values }, deliveryOptions(reader));
}

/** The cells of line items to read. */
export interface AskedCells {
  accountId: string;
  lineItemIds: readonly string[];
  /** Only what was delivered for these promoted things; undefined for all. */
  promotedIds?: readonly string[];
  range: DeliveryRange;
  placement: string;
  columns: readonly FactColumn[];
}

/** The delivery of one thing of a line item to one audience, in a day or in an hour of it. */
export type CellRow = {
  lineItemId: string;
  promotedId: string;
  audienceId: string;
  /** The beginning of the day or the hour, as PostgreSQL writes it. */
  time: string;
  isDay: boolean;
} & Record<FactColumn, number | null>;

/** The delivery of line items, at most `limit` rows, in no order. */
export function cellsOf(
  db: EntityManager,
  asked: AskedCells,
  limit: number | undefined,
  reader: RowReader,
): Promise<CellRow[]> {
  const { bind, values } = binding();
  const account = bind(asked.accountId);
  const conditions = [
    `f."accountId" = ${account}`,
    `f."lineItemId" = ANY(${bind(asked.lineItemIds)})`,
    `f.placement = ${bind(asked.placement)}`,
    ...(asked.promotedIds ? [`f."promotedId" = ANY(${bind(asked.promotedIds)})`] : []),
  ];
  const name = (column: FactColumn) => quoteIdentifier(column);
  const columns = asked.columns.map((each) => (isAttributed(each) ? `NULL::int8 AS ${name(each)}` : `f.${name(each)}`));
  const { parts, rollup } = deliveredIn(db, asked.range, account, bind);
  const delivered = parts.map(
    ({ table, time, condition }) =>
      `SELECT f."lineItemId", f."promotedId", f."audienceId", f.${time} AS time, ${time === 'start'} AS "isDay", ${columns.join(', ')}
        FROM ${table} f WHERE ${conditions.join(' AND ')} AND ${condition}`,
  );
  if (asked.columns.some(isAttributed)) {
    const sums = asked.columns.map(
      (each) => `${isAttributed(each) ? attributedSum(each) : 'NULL::int8'} AS ${name(each)}`,
    );
    delivered.push(`(SELECT f."lineItemId", f."promotedId", f."audienceId", f.hour, false, ${sums.join(', ')}
      FROM ${tableOf(db, ConversionFact).table} f WHERE ${conditions.join(' AND ')}
        AND f.hour >= ${bind(asked.range.start)}::timestamptz AND f.hour < ${bind(asked.range.end)}::timestamptz
      GROUP BY 1, 2, 3, 4)`);
  }
  const text = `WITH ${rollup} ${delivered.join(' UNION ALL ')}${limit === undefined ? '' : ` LIMIT ${limit}`}`;
  return run(db, { text, values }, deliveryOptions(reader));
}
