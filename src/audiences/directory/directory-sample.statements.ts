import type { EntityManager } from 'typeorm';
import { readLong, type LongReadOptions } from '../../common/db/query/long-read.js';
import { run } from '../../common/db/query/statement.js';
import { changeDirectory } from './change-directory.js';
import { overflow, sampleKey, SAMPLE_SIZE } from './directory-sample.rules.js';

const COPIED = ['userId', 'activeAt', 'country', 'language', 'gender', 'ageBucket', 'platforms', 'traits', 'follows'];
const columnsOf = (table: string) => COPIED.map((column) => `${table}"${column}"`).join(', ');
const CHANGED = COPIED.map((column) => `"${column}" = EXCLUDED."${column}"`).join(', ');

/** The `sampleKey` of a user `d`. */
export const KEY = `('x' || left(md5(d.number::text), 16))::bit(64)::bigint`;

/** The counter of directory users. Only their number range limits it. */
export const USERS = { ownerId: 'directory', kind: 'users' };
export const MAX_USERS = 2_147_483_647;

/**
 * Copies users that were just stored into the sample: updates those in it, and adds new ones that belong to it.
 * `usersBefore`: the previous number of users. Call it under the directory lock.
 */
export async function keepSample(
  tx: EntityManager,
  stored: readonly { number: number; made: boolean }[],
  usersBefore: number,
): Promise<void> {
  const isOpen = usersBefore < SAMPLE_SIZE;
  const kept = await run<{ number: number }>(
    tx,
    {
      text: `WITH given AS (SELECT * FROM unnest($1::int[], $2::bigint[], $3::boolean[]) AS n (number, key, made)),
        last AS (SELECT max(key) AS key FROM directory_sample)
      INSERT INTO directory_sample AS s (number, key, ${columnsOf('')})
      SELECT d.number, n.key, ${columnsOf('d.')} FROM given n JOIN directory_users d ON d.number = n.number
      WHERE CASE WHEN n.made THEN $4::boolean OR n.key < (SELECT key FROM last)
        ELSE EXISTS (SELECT FROM directory_sample o WHERE o.number = n.number) END
      ON CONFLICT (number) DO UPDATE SET ${CHANGED}
        WHERE (${columnsOf('s.')}) IS DISTINCT FROM (${columnsOf('EXCLUDED.')})
      RETURNING s.number`,
      values: [
        stored.map(({ number }) => number),
        stored.map(({ number }) => String(sampleKey(number))),
        stored.map(({ made }) => made),
        isOpen,
      ],
    },
    { large: true, planned: 'each time' },
  );
  const made = new Set(stored.flatMap((each) => (each.made ? [each.number] : [])));
  const tooMany = overflow(usersBefore, kept.filter(({ number }) => made.has(number)).length);
  if (tooMany === 0) return;
  await run(tx, {
    text: `DELETE FROM directory_sample WHERE number = ANY(ARRAY(
      SELECT number FROM directory_sample ORDER BY key DESC, number DESC LIMIT $1))`,
    values: [tooMany],
  });
}

/** How many users the sample lacks after deletions. */
const SHORTAGE = `greatest(0, least(${SAMPLE_SIZE}, (SELECT value FROM counters WHERE "ownerId" = '${USERS.ownerId}' AND kind = '${USERS.kind}'))
    - (SELECT count(*) FROM directory_sample))`;
/** It occasionally reads the whole directory, without a lock. */
const SEARCHING: LongReadOptions = { seconds: 300, megabytes: 64 };

/** Adds the users with the next keys to the sample, if some of its users were deleted. */
export async function fillSample(db: EntityManager): Promise<void> {
  const [{ missing }] = await run<{ missing: number }>(db, { text: `SELECT ${SHORTAGE}::int AS missing`, values: [] });
  if (missing === 0) return;
  const next = await readLong<{ number: number }>(
    db.dataSource,
    {
      text: `SELECT d.number FROM directory_users d WHERE NOT EXISTS (SELECT FROM directory_sample o WHERE o.number = d.number)
        ORDER BY ${KEY}, d.number LIMIT $1`,
      values: [missing],
    },
    SEARCHING,
  );
  await changeDirectory(db, (tx) =>
    run(tx, {
      text: `INSERT INTO directory_sample (number, key, ${columnsOf('')})
        SELECT d.number, ${KEY}, ${columnsOf('d.')} FROM directory_users d WHERE d.number = ANY($1::int[])
        ORDER BY 2, 1 LIMIT ${SHORTAGE} ON CONFLICT DO NOTHING`,
      values: [next.map(({ number }) => number)],
    }),
  );
}
