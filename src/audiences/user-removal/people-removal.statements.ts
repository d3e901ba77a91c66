import type { EntityManager } from 'typeorm';
import { changeCounters as countUp } from '../../common/db/counters/counters.js';
import { inTransactionFor, run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { write } from '../../common/db/query/write.js';
import { lowerUsage } from '../../common/storage/storage-usage.js';
import { changeDirectory } from '../directory/change-directory.js';
import { MAX_USERS, USERS } from '../directory/directory-sample.statements.js';
import { CustomAudience } from '../entities/custom-audience.entity.js';
import { DoNotReachList } from '../entities/do-not-reach-list.entity.js';
import { AudienceIdentifier } from '../entities/audience-identifier.entity.js';
import { AudienceSizing } from '../entities/audience-sizing.entity.js';

/** Identifiers of a person: the indexes of their kinds and the hexadecimal hashes, as lists of equal length. */
export interface PersonIdentifiers {
  kinds: number[];
  hashes: string[];
}

/** Number of audiences to check in one statement. */
const AUDIENCES = 50;

/** The condition that a row `r` of audience_identifiers has one of the identifiers: $2 and $3. */
const NAMED = `unnest($2::smallint[], $3::varchar[]) AS g (kind, hash) WHERE r.kind = g.kind AND r.hash = decode(g.hash, 'hex')`;

/**
 * The audiences, among the next ones after a position, that contain any of the identifiers, and the last audience
 * checked; null after the last of all. Each audience is checked by key: an index over all hashes would cost every
 * upload more than it saves here.
 */
export async function audiencesWith(
  db: EntityManager,
  after: string,
  { kinds, hashes }: PersonIdentifiers,
): Promise<{ audienceIds: string[]; last: string | null }> {
  const { table } = tableOf(db, AudienceIdentifier);
  const next = (than: string) =>
    `SELECT "audienceId" FROM ${table} WHERE "audienceId" > ${than} ORDER BY "audienceId" LIMIT 1`;
  const looked = await run<{ id: string; holds: boolean }>(
    db,
    {
      text: `WITH RECURSIVE audiences (id) AS (
          (${next('$1')}) UNION ALL SELECT (${next('a.id')}) FROM audiences a WHERE a.id IS NOT NULL)
        SELECT a.id, EXISTS (SELECT FROM unnest($2::smallint[], $3::varchar[]) AS g (kind, hash),
            LATERAL (SELECT FROM ${table} r WHERE r."audienceId" = a.id AND r.kind = g.kind AND r.hash = decode(g.hash, 'hex') OFFSET 0) r) AS holds
        FROM (SELECT id FROM audiences WHERE id IS NOT NULL LIMIT ${AUDIENCES}) a`,
      values: [after, kinds, hashes],
    },
    { large: true, planned: 'each time' },
  );
  return {
    audienceIds: looked.filter(({ holds }) => holds).map(({ id }) => id),
    last: looked.length === AUDIENCES ? looked.at(-1)!.id : null,
  };
}

/**
 * Removes the people of an audience who have any of the identifiers, with all their identifiers, as a Delete upload
 * does. It lowers the usage of its account and queues a count. Uploads to the audience wait.
 */
export const removePeople = (
  db: EntityManager,
  audienceId: string,
  { kinds, hashes }: PersonIdentifiers,
  now: string,
): Promise<void> =>
  inTransactionFor(db, audienceId, async (tx) => {
    const [table, sizings] = [tableOf(db, AudienceIdentifier).table, tableOf(db, AudienceSizing).table];
    await run(tx, { text: `SELECT FROM ${sizings} WHERE "audienceId" = $1 FOR NO KEY UPDATE`, values: [audienceId] });
    const values: unknown[] = [audienceId, kinds, hashes, now];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const owner = [CustomAudience, DoNotReachList]
      .map((entity) => `SELECT "accountId" FROM ${tableOf(db, entity).table} WHERE id = $1`)
      .join(' UNION ALL ');
    await run(tx, {
      text: `WITH named AS MATERIALIZED (SELECT r.kind, r.hash, r.person, r.tied FROM ${table} r, ${NAMED} AND r."audienceId" = $1),
        people AS MATERIALIZED (SELECT kind, hash FROM named UNION
          SELECT r.kind, r.hash FROM (SELECT DISTINCT person FROM named WHERE tied) p
            JOIN ${table} r ON r."audienceId" = $1 AND r.person = p.person AND r.tied),
        gone AS (DELETE FROM ${table} r USING people p WHERE r."audienceId" = $1 AND r.kind = p.kind AND r.hash = p.hash RETURNING 1),
        lowered AS (${lowerUsage(`(SELECT "accountId" FROM (${owner}) o LIMIT 1)`, 'AUDIENCE_ROWS', '(SELECT count(*) FROM gone)', bind)})
        UPDATE ${sizings} s SET generation = s.generation + 1, "dueAt" = least(s."dueAt", $4::timestamptz)
        WHERE s."audienceId" = $1 AND EXISTS (SELECT FROM gone)`,
      values,
    });
  });

/** Maximum number of followers, and of followed users, updated in one transaction. Imports wait for it. */
const FOLLOWERS = 500;
const FOLLOWED = 50_000;

/** The identifiers of a directory user, also while their removal from audiences is not finished. */
export async function identifiersOfUser(db: EntityManager, userId: string): Promise<PersonIdentifiers> {
  const known = await run<{ kind: number; hash: string }>(db, {
    text: `SELECT i.kind, encode(i.hash, 'hex') AS hash FROM directory_users d JOIN directory_identifiers i USING (number) WHERE d."userId" = $1
      UNION SELECT kind, encode(hash, 'hex') FROM removed_identifiers WHERE "userId" = $1`,
    values: [userId],
  });
  return { kinds: known.map(({ kind }) => kind), hashes: known.map(({ hash }) => hash) };
}

/** Removes a user with all data from the directory. Imports wait. The identifiers are kept until `forgetIdentifiers`. */
export const removeFromDirectory = (db: EntityManager, userId: string): Promise<void> =>
  changeDirectory(db, async (tx) => {
    const gone = await run(tx, {
      text: `WITH gone AS (DELETE FROM directory_users WHERE "userId" = $1 RETURNING number),
        unsampled AS (DELETE FROM directory_sample s USING gone WHERE s.number = gone.number),
        unknown AS (DELETE FROM directory_identifiers i USING gone WHERE i.number = gone.number RETURNING i.kind, i.hash),
        kept AS (INSERT INTO removed_identifiers ("userId", kind, hash) SELECT $1, kind, hash FROM unknown ON CONFLICT DO NOTHING)
        SELECT number FROM gone`,
      values: [userId],
    });
    if (gone.length > 0) await write(tx, countUp([{ ...USERS, by: -gone.length, limit: MAX_USERS }]));
  });

/** Forgets the identifiers of a user who is no longer in the directory, when no audience has them. */
export async function forgetIdentifiers(db: EntityManager, userId: string): Promise<void> {
  await run(db, { text: `DELETE FROM removed_identifiers WHERE "userId" = $1`, values: [userId] });
}

const CHANGED = `unnest(c.kinds, c.hashes) WITH ORDINALITY AS n (kind, hash, place)`;

/**
 * Removes identifiers from changes that audiences have not processed yet. They need no matching, because people with
 * any of them are removed from the audiences.
 */
export const forgetChangesOf = (db: EntityManager, { kinds, hashes }: PersonIdentifiers): Promise<void> =>
  changeDirectory(db, async (tx) => {
    await run(tx, {
      text: `WITH given AS MATERIALIZED (SELECT g.kind, decode(g.hash, 'hex') AS hash FROM unnest($1::smallint[], $2::varchar[]) AS g (kind, hash))
        UPDATE directory_changes c SET
          kinds = ARRAY(SELECT n.kind FROM ${CHANGED} WHERE (n.kind, n.hash) NOT IN (SELECT kind, hash FROM given) ORDER BY n.place),
          hashes = ARRAY(SELECT n.hash FROM ${CHANGED} WHERE (n.kind, n.hash) NOT IN (SELECT kind, hash FROM given) ORDER BY n.place)
        WHERE EXISTS (SELECT FROM ${CHANGED} WHERE (n.kind, n.hash) IN (SELECT kind, hash FROM given))`,
      values: [kinds, hashes],
    });
  });

/**
 * Removes a user from the follow lists of some followers; returns how many. Each update rewrites the index entries of
 * all users that a follower follows.
 */
export const forgetFollowed = (db: EntityManager, userId: string): Promise<number> =>
  changeDirectory(db, async (tx) => {
    const forgetting = (table: string) =>
      run(tx, {
        text: `UPDATE ${table} SET follows = array_remove(follows, $1::bigint) WHERE number = ANY(ARRAY(
            SELECT number FROM (SELECT number, sum(cardinality(follows)) OVER (ORDER BY number) AS followed, row_number() OVER (ORDER BY number) AS place
              FROM (SELECT number, follows FROM ${table} WHERE follows @> ARRAY[$1::bigint] LIMIT ${FOLLOWERS}) f) f
            WHERE followed <= ${FOLLOWED} OR place = 1)) RETURNING number`,
        values: [userId],
      });
    const [directory, sample] = [await forgetting('directory_users'), await forgetting('directory_sample')];
    return directory.length + sample.length;
  });
