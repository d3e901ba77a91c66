import type { EntityManager } from 'typeorm';
import { int4Array, int4ArrayOf, int8Array } from '../../common/db/query/integer-arrays.js';
import { binding, run, type Bind } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { inSlices } from '../../common/concurrency/in-slices.js';
import { lowerUsage, raiseUsage, type StorageQuota } from '../../common/storage/storage-usage.js';
import { matchingUsersOf } from '../directory/directory-matches.statements.js';
import { AudienceIdentifier, REMEMBERED_DAYS } from '../entities/audience-identifier.entity.js';
import { identifierKeyOf, pack, packPeople, type IdentifierKey, type PackedIdentifiers } from './identifiers.js';
import type { IdentifierRow, Person, ValidityWindow } from './membership.rules.js';

/** Updates of distinct people, each with one identifier. */
export interface SingleUpdates {
  keys: IdentifierKey[];
  /** How often each person was named. */
  updates: number[];
  /** The window of each person, as an index in `windows`. */
  window: number[];
  windows: ValidityWindow[];
}

const iso = (ms: number) => new Date(ms).toISOString();

/** The identifiers of a statement as rows with their index, in primary key order. */
const given = async (bind: Bind, keys: readonly IdentifierKey[]): Promise<string> =>
  givenPacked(bind, await pack(keys));

/** `more`: further columns. A subscript of a parameter costs less than a join with its rows. */
function givenPacked(bind: Bind, { kinds, hashes }: PackedIdentifiers, more: Record<string, string> = {}): string {
  const columns = Object.entries(more).map(([name, value]) => `, ${value} AS "${name}"`);
  return `SELECT place, get_byte(${bind(kinds)}, place - 1)::smallint AS kind, substring(${bind(hashes)}::bytea FROM (place - 1) * 32 + 1 FOR 32) AS hash${columns.join('')}
    FROM generate_series(1, ${bind(kinds.length)}::int) AS place`;
}

/** Plans made on an empty database would scan all rows of an audience for every upload to it. */
const GROWING = { planned: 'each time' } as const;

/** Whether an upsert inserted a row. An updated row was locked before, and keeps the lock in xmax. */
const IS_NEW = '(s.xmax = 0)';

/**
 * Stores Updates of people with one identifier in one statement. It skips people known to have further identifiers.
 * Returns the number of stored people. Rows are in key order, so that index pages are visited in sequence. New rows
 * count in the quota.
 */
export async function storeSingles(
  db: EntityManager,
  audienceId: string,
  { keys, updates, window, windows }: SingleUpdates,
  today: number,
  quota: StorageQuota,
): Promise<number> {
  const { bind, values } = binding();
  const { table } = tableOf(db, AudienceIdentifier);
  const packed = await pack(keys);
  // most uploads name each person once, and have one window
  const repeated = updates.some((times) => times !== 1) ? updates : [];
  const columns = {
    person: `(${bind(await packPeople(packed))}::bigint[])[place]`,
    updates: `coalesce((${bind(await int4ArrayOf(repeated))}::int[])[place], 1)`,
    win: `coalesce((${bind(await int4ArrayOf(windows.length > 1 ? window : []))}::int[])[place], 0)`,
  };
  const text = `WITH given AS (${givenPacked(bind, packed, columns)}),
    stored AS (
      INSERT INTO ${table} AS s ("audienceId", kind, hash, person, first, tied, "effectiveAt", "expiresAt", "lastDay", updates, users)
      SELECT ${bind(audienceId)}, g.kind, g.hash, g.person, true, false,
        (${bind(windows.map(({ effectiveAt }) => iso(effectiveAt)))}::timestamptz[])[g.win + 1],
        (${bind(windows.map(({ expiresAt }) => iso(expiresAt)))}::timestamptz[])[g.win + 1],
        ${bind(today)}::int, g.updates, (SELECT ARRAY[number] FROM ${matchingUsersOf('g')})
      FROM given g ORDER BY g.kind, g.hash
      ON CONFLICT ("audienceId", kind, hash) DO UPDATE SET
        "effectiveAt" = EXCLUDED."effectiveAt", "expiresAt" = EXCLUDED."expiresAt", "lastDay" = EXCLUDED."lastDay",
        updates = EXCLUDED.updates + CASE WHEN s."lastDay" = EXCLUDED."lastDay" THEN s.updates ELSE 0 END,
        earlier = CASE WHEN s."lastDay" = EXCLUDED."lastDay" THEN s.earlier
          ELSE (coalesce(s.earlier, '{}') || s."lastDay" || s.updates)[greatest(1, coalesce(cardinality(s.earlier), 0) + 3 - ${2 * (REMEMBERED_DAYS - 1)}):] END
      WHERE NOT s.tied
      RETURNING ${IS_NEW} AS "isNew"),
    counted AS (${raiseUsage(quota, '(SELECT count(*) FROM stored WHERE "isNew")', bind)})
    SELECT count(*)::int AS stored FROM stored`;
  const [{ stored }] = await run<{ stored: number }>(db, { text, values });
  return stored;
}

/** The given identifiers whose people have further ones. */
export async function tiedAmong(
  db: EntityManager,
  audienceId: string,
  keys: readonly IdentifierKey[],
): Promise<Set<IdentifierKey>> {
  const { bind, values } = binding();
  const text = `WITH given AS (${await given(bind, keys)})
    SELECT g.place::int FROM given g JOIN ${tableOf(db, AudienceIdentifier).table} s
      ON s."audienceId" = ${bind(audienceId)} AND s.kind = g.kind AND s.hash = g.hash WHERE s.tied`;
  const found = await run<{ place: number }>(db, { text, values }, { large: true, ...GROWING });
  const tied = new Set<IdentifierKey>();
  await inSlices(found, ({ place }) => void tied.add(keys[place - 1]));
  return tied;
}

interface StoredRow {
  kind: number;
  hash: string;
  person: string;
  effectiveAt: string;
  expiresAt: string;
  earlier: number[] | null;
  lastDay: number;
  updates: number;
}

/** The complete people with any of the identifiers; undefined if they have more than `max` identifiers together. */
export async function peopleOf(
  db: EntityManager,
  audienceId: string,
  keys: readonly IdentifierKey[],
  max: number,
): Promise<Person[] | undefined> {
  const { bind, values } = binding();
  const { table } = tableOf(db, AudienceIdentifier);
  const audience = bind(audienceId);
  const columns = (row: string) =>
    `${row}.kind, encode(${row}.hash, 'hex') AS hash, ${row}.person::text, ${row}."effectiveAt", ${row}."expiresAt", ${row}.earlier, ${row}."lastDay", ${row}.updates`;
  const text = `WITH given AS (${await given(bind, keys)}),
    named AS MATERIALIZED (SELECT s.* FROM given g JOIN ${table} s ON s."audienceId" = ${audience} AND s.kind = g.kind AND s.hash = g.hash),
    tied AS MATERIALIZED (SELECT DISTINCT person FROM named WHERE tied)
    SELECT ${columns('s')} FROM tied t JOIN ${table} s ON s."audienceId" = ${audience} AND s.person = t.person AND s.tied
    UNION ALL SELECT ${columns('n')} FROM named n WHERE NOT n.tied
    LIMIT ${max + 1}`;
  const stored = await run<StoredRow>(db, { text, values }, { large: true, ...GROWING });
  if (stored.length > max) return undefined;
  const people = new Map<string, Person>();
  await inSlices(stored, ({ kind, hash, person, effectiveAt, expiresAt, ...row }) => {
    const key = identifierKeyOf(kind, hash);
    const known = people.get(person);
    if (known) known.keys.add(key);
    else {
      const days = [...(row.earlier ?? []), row.lastDay, row.updates];
      const window = { effectiveAt: Date.parse(effectiveAt), expiresAt: Date.parse(expiresAt) };
      people.set(person, { keys: new Set([key]), days, ...window });
    }
  });
  return [...people.values()];
}

const FIRST = 1;
const TIED = 2;

/** Rows as a statement takes them: their keys, their distinct windows, and a parameter for each other column. */
async function packRows(rows: readonly IdentifierRow[]) {
  const { length } = rows;
  const keys: IdentifierKey[] = [];
  const windows: ValidityWindow[] = [];
  const places = new Map<string, number>();
  const person = int8Array(length);
  const flags = Buffer.allocUnsafe(length);
  const [lastDay, updates, win, earlierTo] = [0, 0, 0, 0].map(() => int4Array(length));
  const earlier: number[] = [];
  await inSlices(rows.entries(), ([at, { key, effectiveAt, expiresAt, ...row }]) => {
    const window = `${effectiveAt}/${expiresAt}`;
    const place = places.get(window) ?? windows.push({ effectiveAt, expiresAt });
    places.set(window, place);
    keys.push(key);
    person.set(at, row.person);
    flags[at] = (row.first ? FIRST : 0) | (row.tied ? TIED : 0);
    lastDay.set(at, row.lastDay);
    updates.set(at, row.updates);
    win.set(at, place);
    earlier.push(...(row.earlier ?? []));
    earlierTo.set(at, earlier.length);
  });
  return { keys, windows, person, flags, lastDay, updates, win, earlier: await int4ArrayOf(earlier), earlierTo };
}

/** The columns of packed rows, as SQL that takes the value at a `place`. */
function columnsOf(bind: Bind, rows: Awaited<ReturnType<typeof packRows>>): Record<string, string> {
  const { windows } = rows;
  const array = ({ parameter }: { parameter: Buffer }, type: 'int' | 'bigint' = 'int') =>
    `(${bind(parameter)}::${type}[])`;
  const times = (all: number[]) => `(${bind(all.map(iso))}::timestamptz[])`;
  const flags = bind(rows.flags);
  const win = array(rows.win);
  const to = array(rows.earlierTo);
  return {
    person: `${array(rows.person, 'bigint')}[place]`,
    first: `get_byte(${flags}::bytea, place - 1) & ${FIRST} > 0`,
    tied: `get_byte(${flags}::bytea, place - 1) & ${TIED} > 0`,
    lastDay: `${array(rows.lastDay)}[place]`,
    updates: `${array(rows.updates)}[place]`,
    earlier: `nullif((${bind(rows.earlier)}::int[])[coalesce(${to}[place - 1], 0) + 1:${to}[place]], '{}')`,
    effectiveAt: `${times(windows.map(({ effectiveAt }) => effectiveAt))}[${win}[place]]`,
    expiresAt: `${times(windows.map(({ expiresAt }) => expiresAt))}[${win}[place]]`,
  };
}

/**
 * Stores the new state of rows and removes others in one statement. The difference in row count changes the quota
 * usage.
 */
export async function replaceIdentifiers(
  db: EntityManager,
  audienceId: string,
  rows: readonly IdentifierRow[],
  gone: readonly IdentifierKey[],
  quota: StorageQuota,
): Promise<void> {
  const { bind, values } = binding();
  const { table } = tableOf(db, AudienceIdentifier);
  const audience = bind(audienceId);
  const packed = await packRows(rows);
  const columns = columnsOf(bind, packed);
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const text = `WITH given AS MATERIALIZED (${givenPacked(bind, await pack(packed.keys), columns)}),
    lost AS (${await given(bind, gone)}),
    matched AS MATERIALIZED (SELECT g.person, (SELECT number FROM ${matchingUsersOf('g')}) AS number FROM given g),
    users AS (SELECT person, array_agg(DISTINCT number ORDER BY number) AS users FROM matched WHERE number IS NOT NULL GROUP BY person),
    removed AS (DELETE FROM ${table} s USING lost l WHERE s."audienceId" = ${audience} AND s.kind = l.kind AND s.hash = l.hash RETURNING 1),
    stored AS (INSERT INTO ${table} AS s ("audienceId", kind, hash, users, ${names.join(', ')})
    SELECT ${audience}, g.kind, g.hash, CASE WHEN g.first THEN u.users END, ${names.map((name) => `g.${name}`).join(', ')}
    FROM given g LEFT JOIN users u ON u.person = g.person ORDER BY g.kind, g.hash
    ON CONFLICT ("audienceId", kind, hash) DO UPDATE SET users = EXCLUDED.users, ${names.map((name) => `${name} = EXCLUDED.${name}`).join(', ')} RETURNING ${IS_NEW} AS "isNew"),
    grown AS (SELECT (SELECT count(*) FROM stored WHERE "isNew") - (SELECT count(*) FROM removed) AS by),
    more AS (${raiseUsage(quota, '(SELECT by FROM grown)', bind)}),
    fewer AS (${lowerUsage(bind(quota.ownerId), quota.kind, '(SELECT -by FROM grown)', bind)})
    SELECT 1 AS stored`;
  await run(db, { text, values }, GROWING);
}
