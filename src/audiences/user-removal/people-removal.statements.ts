import type { EntityManager } from 'typeorm';
import { inTransactionFor, run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { lowerUsage } from '../../common/storage/storage-usage.js';
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
