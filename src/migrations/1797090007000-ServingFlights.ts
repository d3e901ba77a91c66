import type { MigrationInterface, QueryRunner } from 'typeorm';
import { OF_ALL_ACCOUNTS } from '../common/db/query/account-key.js';
import { withShortLock } from '../common/db/short-lock.js';

const CAMPAIGNS_AT_ONCE = 1_000;
/** Whether a line item serves during its flight. */
const serves = (row: string) =>
  `${row}."entityStatus" = 'ACTIVE' AND ${row}.creatives > 0 AND ${row}."deletedAt" IS NULL`;

/**
 * Campaigns keep the flight of a line item that is active and has creatives. The trigger forgets it when such a line
 * item changes, whichever release changes it. Outside a transaction, so that writes go on; every step can be repeated.
 */
export class ServingFlights1797090007000 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await withShortLock(runner, () =>
      runner.query(
        `ALTER TABLE "campaigns" ADD COLUMN IF NOT EXISTS "servesFrom" TIMESTAMP(3) WITH TIME ZONE,
          ADD COLUMN IF NOT EXISTS "servesUntil" TIMESTAMP(3) WITH TIME ZONE`,
      ),
    );
    const [{ schema }] = (await runner.query('SELECT quote_ident(current_schema()) AS schema')) as [{ schema: string }];
    // The update waits for those who have locked the campaign to compute the flight, and what they stored is forgotten.
    await runner.query(
      `CREATE OR REPLACE FUNCTION forget_serving_flight() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE ${schema}.campaigns SET "servesFrom" = NULL, "servesUntil" = NULL
            WHERE "accountId" = OLD."accountId" AND id = OLD."campaignId";
          RETURN NULL;
        END $$`,
    );
    await withShortLock(runner, () =>
      runner.query(
        `CREATE OR REPLACE TRIGGER forget_serving_flight AFTER UPDATE ON "line_items" FOR EACH ROW
          WHEN (${serves('OLD')} AND (
            NOT (${serves('NEW')}) OR NEW."startTime" <> OLD."startTime" OR NEW."endTime" <> OLD."endTime"))
          EXECUTE FUNCTION forget_serving_flight()`,
      ),
    );
    await withShortLock(runner, () =>
      runner.query(
        `CREATE OR REPLACE TRIGGER forget_serving_flight_of_removed AFTER DELETE ON "line_items" FOR EACH ROW
          WHEN (${serves('OLD')}) EXECUTE FUNCTION forget_serving_flight()`,
      ),
    );
    await keepFlights(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}

/** Sets the flights of the campaigns that there are. It leaves out those that someone writes meanwhile. */
async function keepFlights(runner: QueryRunner): Promise<void> {
  let locked: { accountId: string; id: string }[] = [];
  do {
    const last = locked.at(-1);
    await withShortLock(runner, async () => {
      // A statement of its own, so that the next one sees the line items as they are once the campaigns are locked.
      locked = (await runner.query(
        `SELECT "accountId", id FROM "campaigns"
          WHERE ("accountId", id) > ($1, $2) AND complete AND "servesUntil" IS NULL
          ORDER BY "accountId", id LIMIT ${CAMPAIGNS_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED ${OF_ALL_ACCOUNTS}`,
        [last?.accountId ?? '', last?.id ?? ''],
      )) as { accountId: string; id: string }[];
      await runner.query(
        `UPDATE "campaigns" c SET "servesUntil" = s.flight[1], "servesFrom" = s.flight[2]
          FROM (SELECT k.account, k.id, max(ARRAY[l."endTime", l."startTime"]) AS flight
            FROM unnest($1::varchar[], $2::varchar[]) AS k (account, id)
            JOIN "line_items" l ON l."accountId" = k.account COLLATE "C" AND l."campaignId" = k.id COLLATE "C"
            WHERE ${serves('l')} GROUP BY k.account, k.id) s
          WHERE c."accountId" = s.account COLLATE "C" AND c.id = s.id COLLATE "C"`,
        [locked.map(({ accountId }) => accountId), locked.map(({ id }) => id)],
      );
    });
  } while (locked.length === CAMPAIGNS_AT_ONCE);
}
