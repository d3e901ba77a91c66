import type { EntityManager, EntityMetadata } from 'typeorm';
import { Account } from '../../accounts/entities/account.entity.js';
import { resourcesByName } from '../../accounts/resource-definition.js';
import { AudienceIdentifier } from '../../audiences/entities/audience-identifier.entity.js';
import { AudienceSizing } from '../../audiences/entities/audience-sizing.entity.js';
import { AudienceSnapshot, AudienceSnapshotSlice } from '../../audiences/entities/audience-snapshot.entity.js';
import { CustomAudience } from '../../audiences/entities/custom-audience.entity.js';
import { DoNotReachList } from '../../audiences/entities/do-not-reach-list.entity.js';
import { AudienceRemoval } from '../../audiences/removals/audience-removal.entity.js';
import { ACTIVE_CAMPAIGNS } from '../../campaigns/entities/active-campaigns.js';
import { Campaign } from '../../campaigns/entities/campaign.entity.js';
import { LineItem } from '../../campaigns/entities/line-item.entity.js';
import { ACTIVE_LINE_ITEMS, LINE_ITEMS_OF_CAMPAIGN } from '../../campaigns/entities/line-item-limits.statements.js';
import { ScheduledPromotedPost } from '../../campaigns/scheduled-promoted-posts/scheduled-promoted-post.entity.js';
import { LibraryMedia } from '../../creatives/entities/library-media.entity.js';
import { PreviewNotification } from '../../creatives/entities/preview-notification.entity.js';
import { ScheduledPost } from '../../creatives/entities/scheduled-post.entity.js';
import { OF_ALL_ACCOUNTS } from '../../common/db/query/account-key.js';
import { run } from '../../common/db/query/statement.js';
import { columnsRead, quoteIdentifier, tableOf } from '../../common/db/query/table-metadata.js';
import { SnapshotPart } from './snapshot.entity.js';
import { snapshotTables, type SnapshotTable } from './snapshot-tables.js';

/** The names of the columns of a table. */
const columnsOf = (metadata: EntityMetadata): string[] => columnsRead(metadata).map(({ databaseName }) => databaseName);

/** A literal in an SQL text. Only for names from the code. */
const literal = (name: string): string => `'${name.replaceAll("'", "''")}'`;

/** The audiences and do-not-reach lists of an account, an SQL expression. Those that are deleted have no people any more. */
const audiencesOf = (db: EntityManager, account: string): string =>
  [CustomAudience, DoNotReachList]
    .map(
      (entity) => `SELECT id FROM ${tableOf(db, entity).table} WHERE "accountId" = ${account} AND "deletedAt" IS NULL`,
    )
    .join(' UNION ALL ');

/** The rows `r` of a table that belong to an account, as what follows FROM. */
const rowsOf = (db: EntityManager, { entity, owner }: SnapshotTable, account: string): string => {
  const { table } = tableOf(db, entity);
  if (owner === 'accountId') return `${table} r WHERE r."accountId" = ${account}`;
  return `(${audiencesOf(db, account)}) h JOIN ${table} r ON r."audienceId" = h.id`;
};

/** Lists a row's columns for JSON. 64-bit numbers become texts, because JavaScript would round them. */
const savedColumns = (metadata: EntityMetadata): string =>
  columnsRead(metadata)
    .map(({ databaseName, type }) =>
      type === 'bigint'
        ? `r.${quoteIdentifier(databaseName)}::text AS ${quoteIdentifier(databaseName)}`
        : `r.${quoteIdentifier(databaseName)}`,
    )
    .join(', ');

/** The size of a saved state. */
export interface StateSize {
  rows: number;
  bytes: number;
}

/** About how much the accounts have. Counting ends a little after `max` rows of a table. */
export async function measureAccounts(
  db: EntityManager,
  accountIds: readonly string[],
  max: number,
): Promise<StateSize> {
  const sizes = snapshotTables().map(
    (each) =>
      `SELECT count(*)::int8 AS n, coalesce(sum(size), 0)::int8 AS bytes FROM (SELECT pg_column_size(r.*) AS size FROM ${rowsOf(db, each, 'a.id')} LIMIT $2::int + 1) s`,
  );
  const [size] = await run<StateSize>(db, {
    text: `SELECT coalesce(sum(n), 0)::int8 AS rows, coalesce(sum(bytes), 0)::int8 AS bytes FROM unnest($1::varchar[]) AS a (id)
      CROSS JOIN LATERAL (${sizes.join(' UNION ALL ')}) sizes`,
    values: [accountIds, max],
  });
  return size;
}

/** Stores all rows of the accounts as the parts of a snapshot. One statement sees one state of all tables. */
export async function saveParts(
  db: EntityManager,
  snapshotId: string,
  accountIds: readonly string[],
): Promise<StateSize> {
  const parts = snapshotTables().map((each) => {
    const metadata = db.dataSource.getMetadata(each.entity);
    const columns = columnsOf(metadata).map(literal).join(', ');
    const order = tableOf(db, each.entity).primary.map((column) => `r.${column}`);
    return `SELECT ${literal(each.name)} AS name, ARRAY[${columns}]::varchar[] AS columns, json_agg(row_to_json(t)) AS content, count(*)::int AS n
      FROM (SELECT ${savedColumns(metadata)} FROM ${rowsOf(db, each, 'a.id')} ORDER BY ${order.join(', ')}) t`;
  });
  const stored = await run<StateSize>(db, {
    text: `INSERT INTO ${tableOf(db, SnapshotPart).table} ("snapshotId", "accountId", "table", columns, content, rows)
      SELECT $1, a.id, p.name, p.columns, p.content, p.n FROM unnest($2::varchar[]) AS a (id)
      CROSS JOIN LATERAL (${parts.join(' UNION ALL ')}) p WHERE p.n > 0
      RETURNING rows, octet_length(content::text) AS bytes`,
    values: [snapshotId, accountIds],
  });
  return stored.reduce((sum, { rows, bytes }) => ({ rows: sum.rows + rows, bytes: sum.bytes + bytes }), {
    rows: 0,
    bytes: 0,
  });
}

/** The time a statement waits for a lock before the whole work starts again. */
const LOCK_TIMEOUT = '150ms';

/**
 * Locks accounts of the sandbox, so that writes to them wait, and then their audiences and lists, so that uploads do.
 * Returns the accounts that still exist, those of them whose test clock advances, and the audiences.
 */
export async function lockAccounts(
  db: EntityManager,
  accountIds: readonly string[],
): Promise<{ accountIds: string[]; advancingIds: string[]; audienceIds: string[] }> {
  await run(db, { text: `SELECT set_config('lock_timeout', $1, true)`, values: [LOCK_TIMEOUT] });
  const accounts = await run<{ id: string; clockAdvancing: boolean }>(db, {
    text: `SELECT id, "clockAdvancing" FROM ${tableOf(db, Account).table} WHERE id = ANY($1) AND environment = 'sandbox' AND "deletedAt" IS NULL ORDER BY id FOR UPDATE`,
    values: [accountIds],
  });
  const audienceIds: string[] = [];
  for (const entity of [CustomAudience, DoNotReachList]) {
    const { table } = tableOf(db, entity);
    const text = `SELECT id FROM ${table} WHERE "accountId" = ANY($1) ORDER BY id FOR UPDATE`;
    for (const { id } of await run<{ id: string }>(db, { text, values: [accountIds] })) audienceIds.push(id);
  }
  const advancing = accounts.filter(({ clockAdvancing }) => clockAdvancing);
  return { accountIds: accounts.map(({ id }) => id), advancingIds: advancing.map(({ id }) => id), audienceIds };
}

/** The accounts to empty. The people of audiences in `queuedIds` are removed later, by a job; those of `audienceIds` at once. */
interface EmptiedAccounts {
  accountIds: readonly string[];
  audienceIds: readonly string[];
  queuedIds: readonly string[];
  now: string;
}

/** Deletes all rows of locked accounts, and the counters of their campaigns. */
export async function deleteRows(db: EntityManager, emptied: EmptiedAccounts): Promise<void> {
  const { accountIds, audienceIds, queuedIds, now } = emptied;
  const table = (entity: Parameters<typeof tableOf>[1]) => tableOf(db, entity).table;
  const ofAudiences = (name: string) => `DELETE FROM ${name} WHERE "audienceId" = ANY($2)`;
  const deletions = [
    ...snapshotTables().map(({ entity, owner }) =>
      owner === 'accountId' ? `DELETE FROM ${table(entity)} WHERE "accountId" = ANY($1)` : ofAudiences(table(entity)),
    ),
    `DELETE FROM ${table(AudienceSizing)} WHERE "audienceId" = ANY($3)`,
    `DELETE FROM ${table(PreviewNotification)} WHERE "accountId" = ANY($1)`,
    ...[AudienceSnapshot, AudienceSnapshotSlice, AudienceRemoval].map((entity) => ofAudiences(table(entity))),
    `DELETE FROM counters c USING ${table(Campaign)} k WHERE k."accountId" = ANY($1) AND c."ownerId" = k.id`,
  ];
  const steps = deletions.map((text, i) => `deleted${i} AS (${text})`);
  await run(db, {
    text: `WITH ${steps.join(', ')} INSERT INTO ${table(AudienceRemoval)} ("audienceId", "queuedAt")
      SELECT id, $4::timestamptz FROM unnest($3::varchar[]) AS q (id) ON CONFLICT DO NOTHING`,
    values: [accountIds, audienceIds, queuedIds, now],
  });
}

/** The posts that are live, of any account, for which line items of restored accounts wait. */
export const publishedMeanwhile = (db: EntityManager, accountIds: readonly string[]) =>
  run<{ scheduledPostId: string; postId: string }>(db, {
    text: `SELECT DISTINCT s.id AS "scheduledPostId", s."postId" FROM ${tableOf(db, ScheduledPromotedPost).table} w
      JOIN ${tableOf(db, ScheduledPost).table} s ON s.id = w."scheduledPostId"
      WHERE w."accountId" = ANY($1) AND w."postId" IS NULL AND w.failure IS NULL AND w."deletedAt" IS NULL AND s."postId" IS NOT NULL ${OF_ALL_ACCOUNTS}`,
    values: [accountIds],
  });

/** The number of people of these audiences, counted up to a little more than `max`. */
export async function countPeopleOfAccounts(
  db: EntityManager,
  audienceIds: readonly string[],
  max: number,
): Promise<number> {
  const [{ n }] = await run<{ n: number }>(db, {
    text: `SELECT count(*)::int AS n FROM (SELECT 1 FROM ${tableOf(db, AudienceIdentifier).table} WHERE "audienceId" = ANY($1) LIMIT $2::int) p`,
    values: [audienceIds, max + 1],
  });
  return n;
}

/**
 * The tables of a snapshot and their columns, and its audiences and do-not-reach lists. The accounts of an edited file may
 * have different columns of a table: an insert names those of all.
 */
export async function contentsOf(
  db: EntityManager,
  snapshotId: string,
): Promise<{ columns: Map<string, string[]>; audienceIds: string[] }> {
  const parts = tableOf(db, SnapshotPart).table;
  const found = await run<{ table: string; columns: string[] }>(db, {
    text: `SELECT p."table", array_agg(DISTINCT c.name) AS columns FROM ${parts} p CROSS JOIN LATERAL unnest(p.columns) AS c (name)
      WHERE p."snapshotId" = $1 GROUP BY p."table"`,
    values: [snapshotId],
  });
  const holders = [CustomAudience, DoNotReachList].map((entity) => db.dataSource.getMetadata(entity).tableName);
  const audiences = await run<{ id: string }>(db, {
    text: `SELECT DISTINCT n->>'id' AS id FROM ${parts} p CROSS JOIN LATERAL json_array_elements(p.content) n
      WHERE p."snapshotId" = $1 AND p."table" = ANY($2)`,
    values: [snapshotId, holders],
  });
  return {
    columns: new Map(found.map(({ table, columns }) => [table, columns])),
    audienceIds: audiences.map(({ id }) => id),
  };
}

/**
 * The greatest revision of what accounts and their audiences have. What is restored has later ones, so that who read a revision
 * just before does not find it again.
 */
export async function latestRevision(
  db: EntityManager,
  accountIds: readonly string[],
  audienceIds: readonly string[],
): Promise<number> {
  const latest = snapshotTables().flatMap(({ entity, owner, restored }) =>
    Object.keys(restored)
      .filter((column) => restored[column] === 'next')
      .map(
        (column) => `SELECT max(${quoteIdentifier(column)}) AS n FROM ${tableOf(db, entity).table}
          WHERE ${owner === 'accountId' ? '"accountId" = ANY($1)' : '"audienceId" = ANY($2)'}`,
      ),
  );
  const [{ n }] = await run<{ n: number }>(db, {
    text: `SELECT coalesce(max(n), 0)::int AS n FROM (${latest.join(' UNION ALL ')}) l`,
    values: [accountIds, audienceIds],
  });
  return n;
}

/** The value of a restored column, an SQL expression over the saved row `n`. */
function restored({ restored }: SnapshotTable, column: string): string {
  if (!Object.hasOwn(restored, column)) return `n.${quoteIdentifier(column)}`;
  return restored[column] === 'next' ? `GREATEST(n.${quoteIdentifier(column)}, $2::int) + 1` : 'NULL';
}

/**
 * Inserts the rows of a snapshot. `columns`: what it has of each table; other columns get their defaults. `latest`: see
 * `latestRevision`.
 */
export async function insertRows(
  db: EntityManager,
  snapshotId: string,
  columns: ReadonlyMap<string, readonly string[]>,
  latest: number,
): Promise<void> {
  const steps = snapshotTables().flatMap((each) => {
    const saved = columns.get(each.name);
    if (!saved) return [];
    const { table } = tableOf(db, each.entity);
    const present = columnsOf(db.dataSource.getMetadata(each.entity)).filter((column) => saved.includes(column));
    const values = present.map((column) => restored(each, column));
    const own = each.owner === 'accountId' ? ` AND n."accountId" = p."accountId"` : '';
    return `INSERT INTO ${table} (${present.map(quoteIdentifier).join(', ')}) SELECT ${values.join(', ')}
      FROM ${tableOf(db, SnapshotPart).table} p CROSS JOIN LATERAL json_populate_recordset(NULL::${table}, p.content) n
      WHERE p."snapshotId" = $1 AND p."table" = ${literal(each.name)}${own}`;
  });
  if (steps.length === 0) return;
  const inserts = steps.map((text, i) => `inserted${i} AS (${text})`);
  await run(db, { text: `WITH ${inserts.join(', ')} SELECT $2::int AS latest`, values: [snapshotId, latest] });
}

/** The rows that a counter of accounts counts: a SELECT of owners and numbers, for the accounts $1. */
interface CountedRows {
  kind: string;
  /** The limit of a new counter. */
  limit: number;
  sql: string;
}

/** Sets counters to what the accounts have. Fails if one exceeds its limit (`isLimitReached`). */
export async function recount(
  db: EntityManager,
  accountIds: readonly string[],
  { kind, limit, sql }: CountedRows,
): Promise<void> {
  await run(db, {
    text: `WITH owners (id, n) AS MATERIALIZED (${sql}),
      known AS (UPDATE counters c SET value = CASE WHEN o.n <= c."limit" THEN o.n ELSE -1 END
        FROM owners o WHERE c."ownerId" = o.id AND c.kind = $2 RETURNING o.id)
      INSERT INTO counters ("ownerId", kind, value, "limit")
      SELECT o.id, $2, CASE WHEN o.n <= $3::int THEN o.n ELSE -1 END, $3::int FROM owners o WHERE o.id NOT IN (SELECT id FROM known)`,
    values: [accountIds, kind, limit],
  });
}

/** The amounts of a kind of storage usage: a SELECT of accounts and amounts, for the accounts $1. */
interface CountedUsage {
  kind: string;
  quota: number;
  sql: string;
}

/** Sets the storage usage of accounts to what they have. Fails if it exceeds the quota (`isQuotaExceeded`). */
export async function remeasure(
  db: EntityManager,
  accountIds: readonly string[],
  { kind, quota, sql }: CountedUsage,
): Promise<void> {
  await run(db, {
    text: `INSERT INTO storage_usage ("ownerId", kind, used)
      SELECT o.id, $2, CASE WHEN o.n <= $3::bigint THEN o.n ELSE -1 END FROM (${sql}) o (id, n)
      ON CONFLICT ("ownerId", kind) DO UPDATE SET used = EXCLUDED.used`,
    values: [accountIds, kind, quota],
  });
}

/** A number for each of the accounts $1: that of the rows that a subquery over the account `a.id` selects. */
const perAccount = (value: string): string => `SELECT a.id, (${value}) FROM unnest($1::varchar[]) AS a (id)`;

/** The counters of accounts and of their campaigns, as `limits` of the resources declares them. */
export function countedRowsOf(db: EntityManager): CountedRows[] {
  const [campaigns, lineItems] = [tableOf(db, Campaign).table, tableOf(db, LineItem).table];
  const live = (table: string, condition: string) =>
    perAccount(`SELECT count(*)::int FROM ${table} WHERE "accountId" = a.id AND "deletedAt" IS NULL AND ${condition}`);
  const allOfAccount = [...resourcesByName().values()].flatMap(({ entity, limits = [] }) =>
    limits
      .filter((each) => each.countsAllOfAccount)
      .map(({ kind, limit }) => ({ kind, limit, sql: live(tableOf(db, entity).table, 'true') })),
  );
  return [
    ...allOfAccount,
    { ...ACTIVE_CAMPAIGNS, sql: live(campaigns, `"entityStatus" = 'ACTIVE'`) },
    { ...ACTIVE_LINE_ITEMS, sql: live(lineItems, 'counted') },
    {
      ...LINE_ITEMS_OF_CAMPAIGN,
      sql: `SELECT k.id, count(*)::int FROM ${campaigns} k
        JOIN ${lineItems} i ON i."accountId" = k."accountId" AND i."campaignId" = k.id AND i."deletedAt" IS NULL
        WHERE k."accountId" = ANY($1) GROUP BY k.id`,
    },
  ];
}

/** The bytes of the media in the libraries of accounts, and the people of their audiences. */
export function usageSqlOf(db: EntityManager): Record<'ACCOUNT_MEDIA_BYTES' | 'AUDIENCE_ROWS', string> {
  const media = tableOf(db, LibraryMedia).table;
  return {
    ACCOUNT_MEDIA_BYTES: perAccount(
      `SELECT coalesce(sum(size), 0)::bigint FROM ${media} WHERE "accountId" = a.id AND "deletedAt" IS NULL`,
    ),
    AUDIENCE_ROWS: perAccount(
      `SELECT count(*) FROM (${audiencesOf(db, 'a.id')}) h JOIN ${tableOf(db, AudienceIdentifier).table} r ON r."audienceId" = h.id`,
    ),
  };
}
