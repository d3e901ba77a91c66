import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the audience of each web event tag is looked at next. */
export class WebAudiencesDue1797087003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE "web_audiences" ADD "visitAt" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT '1970-01-01 00:00:00+00'`,
    );
    await runner.query(`ALTER TABLE "web_audiences" ALTER COLUMN "audienceId" DROP NOT NULL`);
    await runner.query(
      `INSERT INTO "web_audiences" ("accountId", "tagId", "fedUntil") SELECT "accountId", "id", to_timestamp(0) FROM "web_event_tags"
        WHERE "retargetingEnabled" AND "deletedAt" IS NULL ON CONFLICT DO NOTHING`,
    );
    await runner.query(`CREATE INDEX "web_audiences_due" ON "web_audiences" ("visitAt")`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
