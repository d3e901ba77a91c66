import type { EntityManager } from 'typeorm';
import { count as countUp } from '../../common/db/counters/counters.js';
import { run } from '../../common/db/query/statement.js';
import { write } from '../../common/db/query/write.js';
import type { PersonIdentifiers } from './people-removal.statements.js';
import { changeDirectory } from '../directory/change-directory.js';
import { MAX_USERS, USERS } from '../directory/directory-sample.statements.js';

/** Maximum number of followers, and of followed users, updated in one transaction. Imports wait for it. */
const FOLLOWERS = 500;
const FOLLOWED = 50_000;

/** The identifiers of a directory user. */
export async function identifiersOfUser(db: EntityManager, userId: string): Promise<PersonIdentifiers> {
  const known = await run<{ kind: number; hash: string }>(db, {
    text: `SELECT i.kind, encode(i.hash, 'hex') AS hash FROM directory_users d JOIN directory_identifiers i USING (number) WHERE d."userId" = $1`,
    values: [userId],
  });
  return { kinds: known.map(({ kind }) => kind), hashes: known.map(({ hash }) => hash) };
}

/** Removes a user with all data from the directory. Imports wait. */
export const removeFromDirectory = (db: EntityManager, userId: string): Promise<void> =>
  changeDirectory(db, async (tx) => {
    const gone = await run(tx, {
      text: `WITH gone AS (DELETE FROM directory_users WHERE "userId" = $1 RETURNING number),
        unsampled AS (DELETE FROM directory_sample s USING gone WHERE s.number = gone.number),
        unknown AS (DELETE FROM directory_identifiers i USING gone WHERE i.number = gone.number)
        SELECT number FROM gone`,
      values: [userId],
    });
    if (gone.length > 0) await write(tx, countUp([{ ...USERS, by: -gone.length, limit: MAX_USERS }]));
  });

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
