import type { EntityManager } from 'typeorm';
import { moveAccounts } from '../../accounts/times/account-times.statements.js';
import type { Row } from '../../common/db/query/rows.js';
import { run } from '../../common/db/query/statement.js';
import { tableOf } from '../../common/db/query/table-metadata.js';
import { write, type Precondition, type Write } from '../../common/db/query/write.js';
import { COUNTED_CLOCKS, TestClock } from './test-clock.entity.js';

/** Another worker advances the clock, or it is deleted. */
export class TakenOver extends Error {}

/** Begins to advance a clock that shows `from`; undefined if it does not, or already advances. */
export async function beginAdvance(
  db: EntityManager,
  { id, from, target }: { id: string; from: string; target: string },
): Promise<Row<TestClock> | undefined> {
  const { table, select } = tableOf(db, TestClock);
  const [clock] = await run<Row<TestClock>>(db, {
    text: `UPDATE ${table} r SET status = 'advancing', "targetTime" = $3::timestamptz, done = 0, total = 0, failure = NULL, attempt = NULL, "updatedAt" = now()
      WHERE r.id = $1 AND r."frozenTime" = $2::timestamptz AND r.status <> 'advancing' RETURNING ${select}`,
    values: [id, from, target],
  });
  return clock;
}

/** Locks a clock of an application until the transaction ends, so that its accounts stay; undefined without one. */
export async function lockClock(
  db: EntityManager,
  applicationId: string,
  id: string,
): Promise<Row<TestClock> | undefined> {
  const { table, select } = tableOf(db, TestClock);
  const [clock] = await run<Row<TestClock>>(db, {
    text: `SELECT ${select} FROM ${table} r WHERE r.id = $2 AND r."applicationId" = $1 FOR NO KEY UPDATE`,
    values: [applicationId, id],
  });
  return clock;
}

/** Makes this attempt the only one that advances a clock; undefined if it does not advance. */
export async function claimAdvance(
  db: EntityManager,
  id: string,
  attempt: string,
): Promise<Row<TestClock> | undefined> {
  const { table, select } = tableOf(db, TestClock);
  const [clock] = await run<Row<TestClock>>(db, {
    text: `UPDATE ${table} r SET attempt = $2, "updatedAt" = now() WHERE r.id = $1 AND r.status = 'advancing' RETURNING ${select}`,
    values: [id, attempt],
  });
  return clock;
}

/** Shows that an attempt still advances a clock. */
export async function beat(db: EntityManager, { id, attempt }: Pick<ClockStep, 'id' | 'attempt'>): Promise<void> {
  await run(db, {
    text: `UPDATE ${tableOf(db, TestClock).table} SET "updatedAt" = now() WHERE id = $1 AND attempt = $2 AND status = 'advancing'`,
    values: [id, attempt],
  });
}

/**
 * Ends the attempts that showed nothing for some seconds, because their processes ended, and returns their clocks. Only one
 * of several callers gets a clock.
 */
export async function endSilentAttempts(
  db: EntityManager,
  seconds: number,
): Promise<{ clockId: string; applicationId: string }[]> {
  return run(db, {
    text: `UPDATE ${tableOf(db, TestClock).table} SET attempt = NULL, "updatedAt" = now()
      WHERE status = 'advancing' AND attempt IS NOT NULL AND "updatedAt" < now() - $1::float8 * interval '1 second' RETURNING id AS "clockId", "applicationId"`,
    values: [seconds],
  });
}

/** Ends an attempt, so that another one continues; false if it has ended already. */
export async function endAttempt(
  db: EntityManager,
  { id, attempt }: Pick<ClockStep, 'id' | 'attempt'>,
): Promise<boolean> {
  const ended = await run(db, {
    text: `UPDATE ${tableOf(db, TestClock).table} SET attempt = NULL, "updatedAt" = now() WHERE id = $1 AND attempt = $2 AND status = 'advancing' RETURNING id`,
    values: [id, attempt],
  });
  return ended.length > 0;
}

/** The state of a clock after a step. */
export type ClockStep = Pick<Row<TestClock>, 'id' | 'attempt' | 'status' | 'frozenTime' | 'done' | 'total' | 'failure'>;

/** Stores the state of a clock, and moves its accounts; throws TakenOver unless this attempt advances it. */
export async function storeStep(db: EntityManager, step: ClockStep): Promise<void> {
  const accounts = moveAccounts({
    clockId: step.id,
    frozenTime: step.frozenTime,
    clockAdvancing: step.status === 'advancing',
  });
  await write(db, [stored(step), accounts], [isHeld(step)]);
}

const isHeld = ({ id, attempt }: ClockStep): Precondition => ({
  sql: (db, bind) =>
    `SELECT 1 FROM ${tableOf(db, TestClock).table} WHERE id = ${bind(id)} AND attempt = ${bind(attempt)} AND status = 'advancing' FOR NO KEY UPDATE`,
  refusal: () => new TakenOver(),
});

const stored = ({ id, status, frozenTime, done, total, failure }: ClockStep): Write => ({
  sql: (db, bind, when) =>
    `UPDATE ${tableOf(db, TestClock).table} SET status = ${bind(status)}, "frozenTime" = ${bind(frozenTime)}::timestamptz, done = ${bind(done)}::int,
      total = ${bind(total)}::int, failure = ${bind(failure)}, "updatedAt" = now() WHERE id = ${bind(id)} AND ${when}`,
});

/** Ends the advance of a clock, if it advances, and says why. It stays locked until the transaction ends. */
export async function stopClock(db: EntityManager, id: string, failure: string): Promise<void> {
  const { table } = tableOf(db, TestClock);
  await run(db, { text: `SELECT 1 FROM ${table} WHERE id = $1 FOR NO KEY UPDATE`, values: [id] });
  await run(db, {
    text: `UPDATE ${table} SET status = 'internal_failure', attempt = NULL, failure = $2, "updatedAt" = now() WHERE id = $1 AND status = 'advancing'`,
    values: [id, failure],
  });
}

/** Makes clocks fail that made no progress for some seconds: their workers ended. Returns their ids. */
export async function failAbandoned(db: EntityManager, seconds: number): Promise<string[]> {
  const failed = await run<{ id: string }>(db, {
    text: `UPDATE ${tableOf(db, TestClock).table} SET status = 'internal_failure', attempt = NULL, failure = 'Its worker ended.', "updatedAt" = now()
      WHERE status = 'advancing' AND "updatedAt" < now() - $1::float8 * interval '1 second' RETURNING id`,
    values: [seconds],
  });
  return failed.map(({ id }) => id);
}

/** Deletes a clock of an application and lowers its count; returns the ids of those deleted. */
export const deleteClock = (db: EntityManager, applicationId: string, id: string): Promise<string[]> =>
  deleteCounted(db, 'c."applicationId" = $1 AND c.id = $2', [applicationId, id]);

/** Deletes the clocks of the applications that a user owns. */
export const deleteClocksOfOwner = (db: EntityManager, userId: string): Promise<string[]> =>
  deleteCounted(db, 'c."applicationId" IN (SELECT id FROM applications WHERE "ownerId" = $1)', [userId]);

/** Deletes the clocks of deleted applications. */
export const deleteOrphanedClocks = (db: EntityManager): Promise<string[]> =>
  deleteCounted(db, 'c."applicationId" NOT IN (SELECT id FROM applications WHERE "deletedAt" IS NULL)', []);

async function deleteCounted(db: EntityManager, condition: string, values: unknown[]): Promise<string[]> {
  const gone = await run<{ id: string }>(db, {
    text: `WITH gone AS (DELETE FROM test_clocks c WHERE ${condition} RETURNING c.id, c."applicationId"),
      lowered AS (
        UPDATE counters c SET value = c.value - fewer.n
        FROM (SELECT "applicationId", count(*)::int AS n FROM gone GROUP BY 1) fewer
        WHERE c."ownerId" = fewer."applicationId" AND c.kind = '${COUNTED_CLOCKS}'
      ) SELECT id FROM gone`,
    values,
  });
  return gone.map(({ id }) => id);
}

/** The number of test clocks, and of the accounts whose time they freeze. */
export interface ClockCounts {
  clocks: number;
  accounts: number;
}

export async function countClocks(db: EntityManager): Promise<ClockCounts> {
  const [counts] = await run<ClockCounts>(db, {
    text: `SELECT (SELECT count(*)::int FROM test_clocks) AS clocks, (SELECT count(*)::int FROM accounts WHERE "clockId" IS NOT NULL AND "deletedAt" IS NULL) AS accounts`,
    values: [],
  });
  return counts;
}
