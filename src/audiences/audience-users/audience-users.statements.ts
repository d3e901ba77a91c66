import type { EntityManager } from 'typeorm';
import { binding, run, type Bind } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { inSlices } from '../../common/in-slices.js';
import { lowerUsage, raiseUsage, type Quota } from '../../common/storage/storage-usage.js';
import { usersOf } from '../directory/directory-matches.statements.js';
import { AudienceIdentifier, REMEMBERED_DAYS } from '../entities/audience-identifier.entity.js';
import { keyOf, pack, packPeople, type IdentifierKey, type PackedIdentifiers } from './identifiers.js';
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

/** Formats an array of values without quotes. The driver would quote each value. */
const listed = (numbers: readonly (number | string)[]) => `{${numbers.join(',')}}`;

const iso = (ms: number) => new Date(ms).toISOString();

/** The identifiers of a statement as rows with their index, in primary key order. */
const given = async (bind: Bind, keys: readonly IdentifierKey[]): Promise<string> =>
  givenPacked(bind, await pack(keys));

function givenPacked(bind: Bind, { kinds, hashes }: PackedIdentifiers): string {
  return `SELECT place, get_byte(${bind(kinds)}, place - 1)::smallint AS kind, substring(${bind(hashes)}::bytea FROM (place - 1) * 32 + 1 FOR 32) AS hash
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
  quota: Quota,
): Promise<number> {
  const { bind, values } = binding();
  const { table } = tableOf(db, AudienceIdentifier);
  const packed = await pack(keys);
  const { high, low } = await packPeople(packed);
  const text = `WITH given AS (${givenPacked(bind, packed)}),
    named AS (SELECT (high::bigint << 32) | (low::bigint & 4294967295) AS person, updates, win, place
      FROM unnest(${bind(high)}::int[], ${bind(low)}::int[], ${bind(listed(updates))}::int[], ${bind(listed(window))}::int[])
        WITH ORDINALITY AS n (high, low, updates, win, place)),
    stored AS (
      INSERT INTO ${table} AS s ("audienceId", kind, hash, person, first, tied, "effectiveAt", "expiresAt", "lastDay", updates, users)
      SELECT ${bind(audienceId)}, g.kind, g.hash, n.person, true, false,
        (${bind(windows.map(({ effectiveAt }) => iso(effectiveAt)))}::timestamptz[])[n.win + 1],
        (${bind(windows.map(({ expiresAt }) => iso(expiresAt)))}::timestamptz[])[n.win + 1],
        ${bind(today)}::int, n.updates, (SELECT ARRAY[number] FROM ${usersOf('g')})
      FROM given g JOIN named n USING (place) ORDER BY g.kind, g.hash
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
  return new Set(found.map(({ place }) => keys[place - 1]));
}

interface StoredRow {
  kind: number;
  hash: string;
  person: string;
  effectiveAt: string;
  expiresAt: string;
  days: number[];
}

/** The complete people with any of the identifiers; undefined if they have more than `most` identifiers together. */
export async function peopleOf(
  db: EntityManager,
  audienceId: string,
  keys: readonly IdentifierKey[],
  most: number,
): Promise<Person[] | undefined> {
  const { bind, values } = binding();
  const { table } = tableOf(db, AudienceIdentifier);
  const audience = bind(audienceId);
  const columns = (row: string) =>
    `${row}.kind, encode(${row}.hash, 'hex') AS hash, ${row}.person::text, ${row}."effectiveAt", ${row}."expiresAt", coalesce(${row}.earlier, '{}') || ${row}."lastDay" || ${row}.updates AS days`;
  const text = `WITH given AS (${await given(bind, keys)}),
    named AS MATERIALIZED (SELECT s.* FROM given g JOIN ${table} s ON s."audienceId" = ${audience} AND s.kind = g.kind AND s.hash = g.hash),
    tied AS MATERIALIZED (SELECT DISTINCT person FROM named WHERE tied)
    SELECT ${columns('s')} FROM tied t JOIN ${table} s ON s."audienceId" = ${audience} AND s.person = t.person AND s.tied
    UNION ALL SELECT ${columns('n')} FROM named n WHERE NOT n.tied
    LIMIT ${most + 1}`;
  const stored = await run<StoredRow>(db, { text, values }, { large: true, ...GROWING });
  if (stored.length > most) return undefined;
  const people = new Map<string, Person>();
  await inSlices(stored, ({ kind, hash, person, effectiveAt, expiresAt, days }) => {
    const key = keyOf(kind, hash);
    const known = people.get(person);
    if (known) known.keys.add(key);
    else {
      const window = { effectiveAt: Date.parse(effectiveAt), expiresAt: Date.parse(expiresAt) };
      people.set(person, { keys: new Set([key]), days, ...window });
    }
  });
  return [...people.values()];
}

/** The columns sent as one array each. */
const SENT_TYPES = {
  person: 'bigint',
  first: 'boolean',
  tied: 'boolean',
  lastDay: 'int',
  updates: 'int',
  win: 'int',
  earlier: 'text',
} as const;

/**
 * Stores the new state of rows and removes others in one statement. The difference in row count changes the quota
 * usage.
 */
export async function replaceIdentifiers(
  db: EntityManager,
  audienceId: string,
  rows: readonly IdentifierRow[],
  gone: readonly IdentifierKey[],
  quota: Quota,
): Promise<void> {
  const { bind, values } = binding();
  const { table } = tableOf(db, AudienceIdentifier);
  const audience = bind(audienceId);
  const windows: ValidityWindow[] = [];
  const places = new Map<string, number>();
  const keys: IdentifierKey[] = [];
  const lists = { person: '', first: '', tied: '', lastDay: '', updates: '', win: '', earlier: '' };
  await inSlices(rows, ({ key, effectiveAt, expiresAt, ...row }) => {
    const comma = keys.length > 0 ? ',' : '';
    const window = `${effectiveAt}/${expiresAt}`;
    const place = places.get(window) ?? windows.push({ effectiveAt, expiresAt });
    places.set(window, place);
    keys.push(key);
    lists.person += comma + row.person;
    lists.first += comma + (row.first ? 't' : 'f');
    lists.tied += comma + (row.tied ? 't' : 'f');
    lists.lastDay += comma + row.lastDay;
    lists.updates += comma + row.updates;
    lists.win += comma + place;
    lists.earlier += comma + (row.earlier ? `"{${row.earlier.join(',')}}"` : 'NULL');
  });
  const names = Object.keys(SENT_TYPES) as (keyof typeof SENT_TYPES)[];
  const unnested = names.map((name) => `${bind(`{${lists[name]}}`)}::${SENT_TYPES[name]}[]`);
  const starts = bind(windows.map(({ effectiveAt }) => iso(effectiveAt)));
  const ends = bind(windows.map(({ expiresAt }) => iso(expiresAt)));
  const stored: Record<string, string> = {
    ...Object.fromEntries(['person', 'first', 'tied', 'lastDay', 'updates'].map((name) => [name, `n."${name}"`])),
    earlier: 'n.earlier::int[]',
    effectiveAt: `(${starts}::timestamptz[])[n.win]`,
    expiresAt: `(${ends}::timestamptz[])[n.win]`,
  };
  const quoted = Object.keys(stored).map((name) => `"${name}"`);
  const text = `WITH given AS (${await given(bind, keys)}),
    lost AS (${await given(bind, gone)}),
    named AS (SELECT * FROM unnest(${unnested.join(', ')}) WITH ORDINALITY AS n (${names.map((name) => `"${name}"`).join(', ')}, place)),
    matched AS MATERIALIZED (SELECT n.person, (SELECT number FROM ${usersOf('g')}) AS number FROM given g JOIN named n USING (place)),
    users AS (SELECT person, array_agg(DISTINCT number ORDER BY number) AS users FROM matched WHERE number IS NOT NULL GROUP BY person),
    removed AS (DELETE FROM ${table} s USING lost l WHERE s."audienceId" = ${audience} AND s.kind = l.kind AND s.hash = l.hash RETURNING 1),
    stored AS (INSERT INTO ${table} AS s ("audienceId", kind, hash, users, ${quoted.join(', ')})
    SELECT ${audience}, g.kind, g.hash, CASE WHEN n.first THEN u.users END, ${Object.values(stored).join(', ')}
    FROM given g JOIN named n USING (place) LEFT JOIN users u ON u.person = n.person ORDER BY g.kind, g.hash
    ON CONFLICT ("audienceId", kind, hash) DO UPDATE SET users = EXCLUDED.users, ${quoted.map((name) => `${name} = EXCLUDED.${name}`).join(', ')} RETURNING ${IS_NEW} AS "isNew"),
    grown AS (SELECT (SELECT count(*) FROM stored WHERE "isNew") - (SELECT count(*) FROM removed) AS by),
    more AS (${raiseUsage(quota, '(SELECT by FROM grown)', bind)}),
    fewer AS (${lowerUsage(bind(quota.ownerId), quota.kind, '(SELECT -by FROM grown)', bind)})
    SELECT 1 AS stored`;
  await run(db, { text, values }, GROWING);
}
