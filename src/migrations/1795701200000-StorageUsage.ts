import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much users and accounts store, with what they store already. */
export class StorageUsage1795701200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "storage_usage" ("ownerId" character varying COLLATE "C" NOT NULL, "kind" character varying COLLATE "C" NOT NULL, "used" bigint NOT NULL, CONSTRAINT "storage_usage_within_quota" CHECK ("used" >= 0), CONSTRAINT "PK_storage_usage" PRIMARY KEY ("ownerId", "kind"))`,
    );
    await runner.query(`INSERT INTO "storage_usage" ("ownerId", kind, used)
      SELECT "ownerId", CASE WHEN state = 'ARRIVING' THEN 'UNFINISHED_UPLOAD_BYTES' ELSE 'USER_MEDIA_BYTES' END, sum(size)
      FROM "media" WHERE "deletedAt" IS NULL GROUP BY 1, 2`);
    await runner.query(`INSERT INTO "storage_usage" ("ownerId", kind, used)
      SELECT "accountId", 'ACCOUNT_MEDIA_BYTES', sum(size) FROM "library_media" WHERE "deletedAt" IS NULL GROUP BY 1`);
    await runner.query(`INSERT INTO "storage_usage" ("ownerId", kind, used)
      SELECT h."accountId", 'AUDIENCE_ROWS', sum(i.rows)
      FROM (SELECT "audienceId", count(*) AS rows FROM "audience_identifiers" GROUP BY 1) i
      JOIN (SELECT id, "accountId" FROM "custom_audiences" UNION ALL SELECT id, "accountId" FROM "do_not_reach_lists") h ON h.id = i."audienceId"
      GROUP BY 1`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
