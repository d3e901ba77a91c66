import type { EntityManager } from 'typeorm';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import type { RowReader } from '../../common/db/query/freshness.js';
import { binding, run, type RunOptions } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { ConversionFact } from '../../measurement/entities/conversion-fact.entity.js';
import { deliveredIn } from '../facts/delivered.statements.js';
import type { DeliveryRange } from '../facts/delivery-range.rules.js';
import type { ActiveEntity } from './active-entities.dto.js';

/** Whose activity to find. */
export interface AskedActivity {
  accountId: string;
  entity: ActiveEntity;
  range: DeliveryRange;
  /** Only facts of these parents, or of these line items. */
  within?: { column: 'campaignId' | 'fundingInstrumentId' | 'id'; ids: readonly string[] };
}

/** An entity with facts: the beginning of the first hour, the end of the last one, and the placements. */
export interface Activity {
  id: string;
  startTime: string;
  endTime: string;
  placements: string[];
}

/** The entities of what line items `i` delivered, `f`; statistics find the parents in the same way. */
const IDS: Readonly<Record<ActiveEntity, string>> = {
  CAMPAIGN: 'i."campaignId"',
  FUNDING_INSTRUMENT: 'i."fundingInstrumentId"',
  LINE_ITEM: 'i.id',
  MEDIA_CREATIVE: 'f."promotedId"',
  PROMOTED_ACCOUNT: 'f."promotedId"',
  PROMOTED_POST: 'f."promotedId"',
};

/** The first and the last hour of a row. */
const HOURS = { start: ['f."firstHour"', 'f."lastHour"'], hour: ['f.hour', 'f.hour'] } as const;

/** Planned each time: the partitions and the index depend on the time range. */
const PLANNED = { large: true, planned: 'each time' } as const satisfies RunOptions;

/** The entities for which something was counted in a time range, by id. */
export function activityOf(db: EntityManager, asked: AskedActivity, { freshness }: RowReader): Promise<Activity[]> {
  const { bind, values } = binding();
  const { accountId, entity, within } = asked;
  const account = bind(accountId);
  const conditions = [
    `f."accountId" = ${account}`,
    ...(IDS[entity].startsWith('f.') ? [`f."promotedKind" = ${bind(entity)}`] : []),
    ...(within ? [`i."${within.column}" = ANY(${bind(within.ids)})`] : []),
  ];
  const { parts, rollup } = deliveredIn(db, asked.range, account, bind);
  const delivered = parts.map(
    ({ table, time, condition }) =>
      `SELECT ${IDS[entity]} AS id, f.placement, ${HOURS[time][0]} AS first, ${HOURS[time][1]} AS last FROM ${table} f
        JOIN ${tableOf(db, LineItem).table} i ON i."accountId" = ${account} AND i.id = f."lineItemId"
        WHERE ${conditions.join(' AND ')} AND ${condition}`,
  );
  const { start, end } = asked.range;
  // a conversion counts in the hour of its engagement, and is news in the hour of its arrival
  delivered.push(`SELECT ${IDS[entity]}, f.placement, f.hour, f.hour FROM ${tableOf(db, ConversionFact).table} f
      JOIN ${tableOf(db, LineItem).table} i ON i."accountId" = ${account} AND i.id = f."lineItemId"
      WHERE ${conditions.join(' AND ')} AND f."recordedAt" >= ${bind(start)}::timestamptz AND f."recordedAt" < ${bind(end)}::timestamptz`);
  // by placement first: to sort all rows takes longer than to count them
  const text = `WITH ${rollup} SELECT p.id, min(p.first) AS "startTime", max(p.last) + interval '1 hour' AS "endTime",
      array_agg(p.placement ORDER BY p.placement) AS placements
    FROM (SELECT f.id, f.placement, min(f.first) AS first, max(f.last) AS last
      FROM (${delivered.join(' UNION ALL ')}) f GROUP BY 1, 2) p GROUP BY 1 ORDER BY 1`;
  return run(db, { text, values }, freshness ? { ...PLANNED, freshness } : PLANNED);
}
