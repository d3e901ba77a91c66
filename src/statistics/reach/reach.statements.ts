import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Campaign } from '../../campaigns/entities/campaign.entity.js';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import { FundingInstrument } from '../../campaigns/funding-instruments/funding-instrument.entity.js';
import type { Reader } from '../../common/db/query/freshness.js';
import { run, type RunOptions } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { DeliveryAudience } from '../facts/delivery-audience.entity.js';
import { DeliveryFact } from '../facts/delivery-fact.entity.js';

/** What has a reach. */
export type ReachEntity = 'CAMPAIGN' | 'FUNDING_INSTRUMENT';

/** Whose impressions to sum, in milliseconds: start inclusive, end exclusive. */
export interface AskedImpressions {
  accountId: string;
  entity: ReachEntity;
  ids: readonly string[];
  start: number;
  end: number;
}

/** The impressions of an entity to an audience; an entity without facts has one row without impressions. */
export interface Impressions {
  id: string;
  impressions: number | null;
  /** The users of the audience; null if nobody estimated them. */
  users: number | null;
}

const ENTITIES: Readonly<Record<ReachEntity, { type: Type; column: string }>> = {
  CAMPAIGN: { type: Campaign, column: 'i."campaignId"' },
  FUNDING_INSTRUMENT: { type: FundingInstrument, column: 'i."fundingInstrumentId"' },
};

/** Planned each time: the partitions and the index depend on the time range. */
const PLANNED = { large: true, planned: 'each time' } as const satisfies RunOptions;

/** The impressions of entities, by audience, in one statement. Deleted entities have rows, unknown ones have none. */
export function impressionsOf(
  db: EntityManager,
  { accountId, entity, ids, start, end }: AskedImpressions,
  { freshness }: Reader,
): Promise<Impressions[]> {
  const table = (type: Type) => tableOf(db, type).table;
  const { type, column } = ENTITIES[entity];
  const text = `WITH known AS (SELECT r.id FROM ${table(type)} r WHERE r."accountId" = $1 AND r.id = ANY($2)),
    shown AS (SELECT ${column} AS id, f."audienceId", sum(f.impressions)::int8 AS impressions
      FROM ${table(LineItem)} i JOIN ${table(DeliveryFact)} f ON f."accountId" = $1 AND f."lineItemId" = i.id
      WHERE i."accountId" = $1 AND ${column} = ANY($2) AND f.hour >= $3::timestamptz AND f.hour < $4::timestamptz GROUP BY 1, 2)
    SELECT k.id, s.impressions, a.users FROM known k LEFT JOIN shown s ON s.id = k.id
      LEFT JOIN ${table(DeliveryAudience)} a ON a."accountId" = $1 AND a.id = s."audienceId"`;
  const values = [accountId, ids, new Date(start).toISOString(), new Date(end).toISOString()];
  return run(db, { text, values }, freshness ? { ...PLANNED, freshness } : PLANNED);
}
