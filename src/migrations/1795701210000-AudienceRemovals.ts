import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which deleted audiences and do-not-reach lists still have people, those deleted before this among them; and who removes them. */
export class AudienceRemovals1795701210000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "audience_removals" ("audienceId" character varying COLLATE "C" NOT NULL, "queuedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_audience_removals" PRIMARY KEY ("audienceId"))`,
    );
    await runner.query(`INSERT INTO "audience_removals" ("audienceId", "queuedAt")
      SELECT h.id, now() FROM (SELECT id, "accountId", "deletedAt" FROM "custom_audiences"
        UNION ALL SELECT id, "accountId", "deletedAt" FROM "do_not_reach_lists") h
      JOIN "accounts" a ON a.id = h."accountId" WHERE h."deletedAt" IS NOT NULL OR a."deletedAt" IS NOT NULL`);
    await runner.query(`SELECT pgboss.create_queue('remove-people', '{"policy": "short"}')`);
    await runner.query(`SELECT pgboss.create_queue('account-deleted', '{"policy": "standard"}')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
