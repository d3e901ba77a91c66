import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { PromotableUser } from '../../accounts/promotable-users/promotable-user.entity.js';
import { Campaign } from '../../campaigns/entities/campaign.entity.js';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import { FundingInstrument } from '../../campaigns/funding-instruments/funding-instrument.entity.js';
import { MediaCreative } from '../../campaigns/media-creatives/media-creative.entity.js';
import { PromotedAccount } from '../../campaigns/promoted-accounts/promoted-account.entity.js';
import { PromotedPost } from '../../campaigns/promoted-posts/promoted-post.entity.js';
import type { Reader } from '../../common/db/query/freshness.js';
import { run, type RunOptions } from '../../common/db/query/statement.js';
import { quoted, tableOf } from '../../common/db/query/table-metadata.js';
import { Post } from '../../creatives/entities/post.entity.js';
import { DeliveryFact } from '../facts/delivery-fact.entity.js';
import type { FactColumn, StatisticsEntity } from './metrics.js';

/** What to sum, of the account $1: the entities $2, the bounds of the units of time $3, and the placement $4. */
export interface AskedSums {
  accountId: string;
  entity: StatisticsEntity;
  ids: readonly string[];
  /** The beginnings of the units of time and the end of the last one, in milliseconds. */
  bounds: readonly number[];
  placement: string;
  columns: readonly FactColumn[];
}

/** The sums of an entity in a unit of time; an entity without facts has one row without a unit. */
export type Sums = { id: string; unit: number | null } & Partial<Record<FactColumn, number>>;

/** Where the facts of entities are. */
interface Source {
  /** SELECT of the existing entities, deleted ones included. */
  known: string;
  /** FROM and WHERE that find facts `f` of the account; undefined if there are none. */
  facts?: string;
  /** The entity of a fact. */
  owner?: string;
}

/** Planned each time: the partitions and the index depend on the bounds. */
const PLANNED = { large: true, planned: 'each time' } as const satisfies RunOptions;

/** The sums of facts for all entities and units in one statement. Unknown entities have no rows. */
export function sumsOf(db: EntityManager, asked: AskedSums, { freshness }: Reader): Promise<Sums[]> {
  const { known, facts, owner } = sourceOf(db, asked.entity);
  const { accountId, ids, bounds, placement, columns } = asked;
  const times = bounds.map((ms) => new Date(ms).toISOString());
  const options: RunOptions = freshness ? { ...PLANNED, freshness } : PLANNED;
  if (facts === undefined || columns.length === 0) {
    const text = `SELECT k.id, NULL::int AS unit FROM (${known}) k`;
    return run(db, { text, values: [accountId, ids] }, options);
  }
  const sums = columns.map((column) => `sum(f.${quoted(column)})::int8 AS ${quoted(column)}`);
  const text = `WITH known AS (${known}),
    sums AS (SELECT ${owner} AS id, width_bucket(f.hour, $3::timestamptz[]) - 1 AS unit, ${sums.join(', ')}
      FROM ${facts} AND f.hour >= $5::timestamptz AND f.hour < $6::timestamptz AND f.placement = $4 GROUP BY 1, 2)
    SELECT k.id, s.unit, ${columns.map((column) => `s.${quoted(column)}`).join(', ')} FROM known k LEFT JOIN sums s ON s.id = k.id`;
  return run(db, { text, values: [accountId, ids, times, placement, times[0], times.at(-1)] }, options);
}

function sourceOf(db: EntityManager, entity: StatisticsEntity): Source {
  const table = (type: Type) => tableOf(db, type).table;
  const facts = table(DeliveryFact);
  const known = (type: Type) => `SELECT r.id FROM ${table(type)} r WHERE r."accountId" = $1 AND r.id = ANY($2)`;
  /** Facts are found by the line items of a parent. */
  const parent = (type: Type, column: string): Source => ({
    known: known(type),
    facts: `${table(LineItem)} i JOIN ${facts} f ON f."accountId" = $1 AND f."lineItemId" = i.id
      WHERE i."accountId" = $1 AND i.${column} = ANY($2)`,
    owner: `i.${column}`,
  });
  const promoted = (type: Type): Source => ({
    known: known(type),
    facts: `${table(type)} p JOIN ${facts} f ON f."accountId" = $1 AND f."lineItemId" = p."lineItemId" AND f."promotedId" = p.id
      WHERE p."accountId" = $1 AND p.id = ANY($2)`,
    owner: 'p.id',
  });
  switch (entity) {
    case 'ACCOUNT':
      return {
        known: `SELECT r.id FROM ${table(Account)} r WHERE r.id = $1 AND r.id = ANY($2)`,
        facts: `${facts} f WHERE f."accountId" = $1`,
        owner: 'f."accountId"',
      };
    case 'CAMPAIGN':
      return parent(Campaign, '"campaignId"');
    case 'FUNDING_INSTRUMENT':
      return parent(FundingInstrument, '"fundingInstrumentId"');
    case 'LINE_ITEM':
      return parent(LineItem, 'id');
    case 'PROMOTED_POST':
      return promoted(PromotedPost);
    case 'PROMOTED_ACCOUNT':
      return promoted(PromotedAccount);
    case 'MEDIA_CREATIVE':
      return promoted(MediaCreative);
    case 'ORGANIC_POST':
      return {
        known: `SELECT p.id FROM ${table(Post)} p WHERE p.id = ANY($2) AND EXISTS (SELECT FROM ${table(PromotableUser)} u
          WHERE u."accountId" = $1 AND u."userId" = p."authorId" AND u."deletedAt" IS NULL)`,
      };
  }
}
