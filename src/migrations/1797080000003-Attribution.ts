import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What conversions are attributed to, and the queue of those that are not matched yet. Stored conversions stay as they are. */
export class Attribution1797080000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE "conversions" ADD "lineItemId" character varying COLLATE "C", ADD "matchedBy" smallint, ADD "isAfterClick" boolean, ADD "engagedAt" TIMESTAMP(3) WITH TIME ZONE`,
    );
    await runner.query(
      `CREATE TABLE "conversions_to_match" ("id" character varying COLLATE "C" NOT NULL, "accountId" character varying COLLATE "C" NOT NULL, "visitor" bytea, "receivedAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "PK_conversions_to_match" PRIMARY KEY ("id"))`,
    );
    await runner.query(`CREATE INDEX "conversions_to_match_of_account" ON "conversions_to_match" ("accountId")`);
    await runner.query(`ALTER TABLE "web_event_tags" ADD "firstTrackedAt" TIMESTAMP(3) WITH TIME ZONE`);
    await runner.query(
      `UPDATE "web_event_tags" SET "firstTrackedAt" = "lastTrackedAt" WHERE "lastTrackedAt" IS NOT NULL`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
