import type { EntityManager } from 'typeorm';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import type { Reader } from '../../common/db/query/freshness.js';
import { binding, run, type RunOptions } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { DeliveryFact } from '../facts/delivery-fact.entity.js';
import type { ActiveEntity } from './active-entities.dto.js';

/** Whose activity to find. */
export interface AskedActivity {
  accountId: string;
  entity: ActiveEntity;
  /** The time range, in milliseconds: start inclusive, end exclusive. */
  start: number;
  end: number;
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

/** The entities of facts `f` of line items `i`; statistics find the parents of facts in the same way. */
const IDS: Readonly<Record<ActiveEntity, string>> = {
  CAMPAIGN: 'i."campaignId"',
  FUNDING_INSTRUMENT: 'i."fundingInstrumentId"',
  LINE_ITEM: 'i.id',
  MEDIA_CREATIVE: 'f."promotedId"',
  PROMOTED_ACCOUNT: 'f."promotedId"',
  PROMOTED_POST: 'f."promotedId"',
};

/** Planned each time: the partitions and the index depend on the time range. */
const PLANNED = { large: true, planned: 'each time' } as const satisfies RunOptions;

/** The entities with facts in a time range, by id. */
export function activityOf(db: EntityManager, asked: AskedActivity, { freshness }: Reader): Promise<Activity[]> {
  const { bind, values } = binding();
  const { accountId, entity, within } = asked;
  const [start, end] = [asked.start, asked.end].map((ms) => `${bind(new Date(ms).toISOString())}::timestamptz`);
  const account = bind(accountId);
  const conditions = [
    `f."accountId" = ${account}`,
    `f.hour >= ${start}`,
    `f.hour < ${end}`,
    ...(IDS[entity].startsWith('f.') ? [`f."promotedKind" = ${bind(entity)}`] : []),
    ...(within ? [`i."${within.column}" = ANY(${bind(within.ids)})`] : []),
  ];
  const text = `SELECT ${IDS[entity]} AS id, min(f.hour) AS "startTime", max(f.hour) + interval '1 hour' AS "endTime",
      array_agg(DISTINCT f.placement ORDER BY f.placement) AS placements
    FROM ${tableOf(db, DeliveryFact).table} f JOIN ${tableOf(db, LineItem).table} i ON i."accountId" = ${account} AND i.id = f."lineItemId"
    WHERE ${conditions.join(' AND ')} GROUP BY 1 ORDER BY 1`;
  return run(db, { text, values }, freshness ? { ...PLANNED, freshness } : PLANNED);
}
