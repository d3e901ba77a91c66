import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Campaign } from '../../campaigns/entities/campaign.entity.js';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import { FundingInstrument } from '../../campaigns/funding-instruments/funding-instrument.entity.js';
import type { RowReader } from '../../common/db/query/freshness.js';
import { binding, run, type RunOptions } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { deliveredIn } from '../facts/delivered.statements.js';
import { DeliveryAudience } from '../facts/delivery-audience.entity.js';
import type { DeliveryRange } from '../facts/delivery-range.rules.js';

/** The entities that have a reach. */
type ReachEntity = 'CAMPAIGN' | 'FUNDING_INSTRUMENT';

/** Whose impressions to sum. */
export interface AskedImpressions {
  accountId: string;
  entity: ReachEntity;
  ids: readonly string[];
  range: DeliveryRange;
}

/** The impressions of an entity to an audience; an entity without facts has one row without impressions. */
export interface Impressions {
  id: string;
  impressions: number | null;
  audienceId: string | null;
  /** The users of the audience; null if nobody estimated them. */
  users: number | null;
}

const ENTITIES: Readonly<Record<ReachEntity, { type: Type; column: string }>> = {
  CAMPAIGN: { type: Campaign, column: 'i."campaignId"' },
  FUNDING_INSTRUMENT: { type: FundingInstrument, column: 'i."fundingInstrumentId"' },
};

/** Planned each time: the partitions and the index depend on the time range. */
const PLANNED = { large: true, planned: 'each time' } as const satisfies RunOptions;

/**
 * The impressions of entities, by audience, in one statement and always in the same order. Deleted entities have rows, unknown
 * ones have none.
 */
export function impressionsOf(
  db: EntityManager,
  { accountId, entity, ids, range }: AskedImpressions,
  { freshness }: RowReader,
): Promise<Impressions[]> {
  const { bind, values } = binding();
  const [account, named] = [bind(accountId), bind(ids)];
  const name = (each: Type) => tableOf(db, each).table;
  const { type, column } = ENTITIES[entity];
  const { parts, rollup } = deliveredIn(db, range, account, bind);
  const delivered = parts.map(
    ({ table, condition }) =>
      `SELECT ${column} AS id, f."audienceId", f.impressions FROM ${name(LineItem)} i
        JOIN ${table} f ON f."accountId" = ${account} AND f."lineItemId" = i.id
        WHERE i."accountId" = ${account} AND ${column} = ANY(${named}) AND ${condition}`,
  );
  const text = `WITH ${rollup}, shown AS (SELECT d.id, d."audienceId", sum(d.impressions)::int8 AS impressions
      FROM (${delivered.join(' UNION ALL ')}) d GROUP BY 1, 2)
    SELECT k.id, s.impressions, s."audienceId", a.users FROM ${name(type)} k LEFT JOIN shown s ON s.id = k.id
      LEFT JOIN ${name(DeliveryAudience)} a ON a."accountId" = ${account} AND a.id = s."audienceId"
    WHERE k."accountId" = ${account} AND k.id = ANY(${named}) ORDER BY k.id, s."audienceId"`;
  return run(db, { text, values }, freshness ? { ...PLANNED, freshness } : PLANNED);
}
