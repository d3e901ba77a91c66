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
import type { RowReader } from '../../common/db/query/freshness.js';
import { binding, run, type RunOptions } from '../../common/db/query/statement.js';
import { quoteIdentifier, tableOf } from '../../common/db/query/table-metadata.js';
import { Post } from '../../creatives/entities/post.entity.js';
import { ConversionFact } from '../../measurement/entities/conversion-fact.entity.js';
import { deliveredIn } from '../facts/delivered.statements.js';
import type { DeliveryRange } from '../facts/delivery-range.rules.js';
import { attributedSum, type AttributedColumn } from './attributed-columns.js';
import type { FactColumn, StatisticsEntity, StoredColumn } from './metrics.js';

/** The sums to read. */
export interface AskedSums {
  accountId: string;
  entity: StatisticsEntity;
  ids: readonly string[];
  /** The beginnings of the units of time and the end of the last one, in milliseconds. */
  bounds: readonly number[];
  /** The time range of all units. Days are only in it if each unit of time consists of whole days. */
  range: DeliveryRange;
  placement: string;
  columns: readonly StoredColumn[];
}

/** The sums of an entity in a unit of time; an entity without facts has one row without a unit. */
export type Sums = { id: string; unit: number | null } & Partial<Record<FactColumn, number>>;

/** Where the facts of entities are: of the account $1 the entities $2. */
export interface Source {
  /** SELECT of the existing entities, deleted ones included. */
  known: string;
  /** SELECT of the line items that deliver for them, each with its entity; absent if there are none. */
  items?: string;
  /** A common table expression that `rows` needs. */
  first?: string;
  /** FROM and WHERE that find rows `f` of a table with what was delivered; undefined if there are none. */
  rows?: (table: string) => string;
  /** The entity of such a row. */
  owner?: string;
}

/** The options of statements that read deliveries. */
export function deliveryOptions({ freshness }: RowReader): RunOptions {
  // the partitions and the index depend on the bounds
  const options = { large: true, planned: 'each time' } as const;
  return freshness ? { ...options, freshness } : options;
}

/** The sums for all entities and units in one statement. Unknown entities have no rows. */
export function sumsOf(db: EntityManager, asked: AskedSums, reader: RowReader): Promise<Sums[]> {
  const { known, first, rows, owner } = sourceOf(db, asked.entity);
  const { accountId, ids, bounds, range, columns } = asked;
  const { bind, values } = binding();
  const account = bind(accountId);
  bind(ids);
  const options = deliveryOptions(reader);
  if (rows === undefined || columns.length === 0)
    return run(db, { text: `SELECT k.id, NULL::int AS unit FROM (${known}) k`, values }, options);
  const names = columns.map(quoteIdentifier);
  const times = `${bind(bounds.map((ms) => new Date(ms).toISOString()))}::timestamptz[]`;
  const placement = bind(asked.placement);
  const { parts, rollup } = deliveredIn(db, range, account, bind);
  const delivered = parts.map(
    ({ table, time, condition }) =>
      `SELECT ${owner} AS id, f.${time} AS time, ${names.map((name) => `f.${name}`).join(', ')}
        FROM ${rows(table)} AND f.placement = ${placement} AND ${condition}`,
  );
  const text = `WITH known AS (${known}), ${first ? `${first},` : ''} ${rollup},
    sums AS (SELECT f.id, width_bucket(f.time, ${times}) - 1 AS unit, ${names.map((name) => `COALESCE(sum(f.${name}), 0)::int8 AS ${name}`).join(', ')}
      FROM (${delivered.join(' UNION ALL ')}) f GROUP BY 1, 2)
    SELECT k.id, s.unit, ${names.map((name) => `s.${name}`).join(', ')} FROM known k LEFT JOIN sums s ON s.id = k.id`;
  return run(db, { text, values }, options);
}

/** The attributed conversions to sum. */
export type AskedAttributed = Omit<AskedSums, 'columns'> & { columns: readonly AttributedColumn[] };

/** The sums of attributed conversions for all entities and units in one statement, or for each tag. */
export async function attributedSumsOf(
  db: EntityManager,
  asked: AskedAttributed,
  reader: RowReader,
  { byTag = false } = {},
): Promise<(Sums & { tagId: string })[]> {
  const { first, rows, owner } = sourceOf(db, asked.entity);
  const { accountId, ids, bounds, range, columns } = asked;
  if (rows === undefined || columns.length === 0) return [];
  const { bind, values } = binding();
  bind(accountId);
  bind(ids);
  const times = `${bind(bounds.map((ms) => new Date(ms).toISOString()))}::timestamptz[]`;
  const sums = columns.map((column) => `${attributedSum(column)} AS ${quoteIdentifier(column)}`).join(', ');
  const text = `${first ? `WITH ${first}` : ''} SELECT ${owner} AS id, width_bucket(f.hour, ${times}) - 1 AS unit, ${byTag ? 'f."tagId"' : `''`} AS "tagId", ${sums}
    FROM ${rows(tableOf(db, ConversionFact).table)} AND f.placement = ${bind(asked.placement)} ${byTag ? `AND NOT starts_with(f.type, 'APP_')` : ''}
      AND f.hour >= ${bind(range.start)}::timestamptz AND f.hour < ${bind(range.end)}::timestamptz GROUP BY 1, 2, 3`;
  return run(db, { text, values }, deliveryOptions(reader));
}

export function sourceOf(db: EntityManager, entity: StatisticsEntity): Source {
  const table = (type: Type) => tableOf(db, type).table;
  const known = (type: Type) => `SELECT r.id FROM ${table(type)} r WHERE r."accountId" = $1 AND r.id = ANY($2)`;
  /** Deliveries are found by the line items of a parent. */
  const parent = (type: Type, column: string): Source => ({
    known: known(type),
    items: `SELECT i.${column} AS id, i.id AS "lineItemId" FROM ${table(LineItem)} i WHERE i."accountId" = $1 AND i.${column} = ANY($2)`,
    rows: (delivered) => `${table(LineItem)} i JOIN ${delivered} f ON f."accountId" = $1 AND f."lineItemId" = i.id
      WHERE i."accountId" = $1 AND i.${column} = ANY($2)`,
    owner: `i.${column}`,
  });
  const promoted = (type: Type): Source => ({
    known: known(type),
    items: `SELECT p.id, p."lineItemId" FROM ${table(type)} p WHERE p."accountId" = $1 AND p.id = ANY($2)`,
    rows: (delivered) => `${table(type)} p
      JOIN ${delivered} f ON f."accountId" = $1 AND f."lineItemId" = p."lineItemId" AND f."promotedId" = p.id
      WHERE p."accountId" = $1 AND p.id = ANY($2)`,
    owner: 'p.id',
  });
  switch (entity) {
    case 'ACCOUNT':
      return {
        known: `SELECT r.id FROM ${table(Account)} r WHERE r.id = $1 AND r.id = ANY($2)`,
        items: `SELECT i."accountId" AS id, i.id AS "lineItemId" FROM ${table(LineItem)} i WHERE i."accountId" = $1 AND i."accountId" = ANY($2)`,
        rows: (delivered) => `${delivered} f WHERE f."accountId" = $1`,
        owner: 'f."accountId"',
      };
    case 'CAMPAIGN': {
      const of = parent(Campaign, '"campaignId"');
      return {
        ...of,
        // Materialized: otherwise PostgreSQL may read all line items in the order of their ids, which are not spread evenly
        first: `items (id, "lineItemId") AS MATERIALIZED (${of.items})`,
        rows: (delivered) =>
          `items i JOIN ${delivered} f ON f."accountId" = $1 AND f."lineItemId" = i."lineItemId" WHERE true`,
        owner: 'i.id',
      };
    }
    case 'FUNDING_INSTRUMENT':
      return parent(FundingInstrument, '"fundingInstrumentId"');
    case 'LINE_ITEM':
      return {
        ...parent(LineItem, 'id'),
        // without a join, PostgreSQL finds a few line items by the primary key
        rows: (delivered) => `${delivered} f WHERE f."accountId" = $1 AND f."lineItemId" = ANY($2)`,
        owner: 'f."lineItemId"',
      };
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
